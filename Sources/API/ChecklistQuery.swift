package import Model

/// The query of `POST /v1/checklists`, whose body is a list.
package struct ChecklistQuery: Sendable, Hashable {
    /// The name of the run; `nil` for that of the list.
    @Exact package var name: String?
    package var format = ChecklistFormat.yaml
    /// What the list's file is called.
    @Exact package var file: String?
    /// Microseconds since 1970.
    package var since: UInt64?
    /// Which events it is about, besides what the list says.
    @Exact package var predicate: String?
    @Exact package var user: String?
    @Exact package var device: String?

    package init() {}

    package enum Name: String, CaseIterable, Sendable { case name, format, file, since, predicate, user, device }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (text, value) in try QueryItems.parse(urlQuery, names: Name.allCases.map(\.rawValue), lists: []) {
            guard let name = Name(rawValue: text) else { continue }
            switch name {
            case .name: self.name = value
            case .file: file = value
            case .predicate: predicate = value
            case .user: user = value
            case .device: device = value
            case .format: format = try QueryItems.choice(value, of: text)
            case .since: since = try QueryItems.time(value, of: text)
            }
        }
    }

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] {
        Name.allCases.compactMap { name in
            let value: String? =
                switch name {
                case .name: self.name
                case .format: format == .yaml ? nil : format.rawValue
                case .file: file
                case .since: since.map { String($0) }
                case .predicate: predicate
                case .user: user
                case .device: device
                }
            return value.map { (name.rawValue, $0) }
        }
    }
}
