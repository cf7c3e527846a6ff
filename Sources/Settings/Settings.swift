package import Model
import Yams

/// The validated settings file: every key has its value or its default. `config/gloss.yaml` documents each key.
package struct Settings: Sendable, Hashable {
    package var journal: JournalOptions
    package var sources: [SourceRule]
    package var dictionaries: [DictionaryOptions]
    package var privacy: PrivacyMode
    package var store: StoreOptions
    package var control: ControlOptions
    package var sinks: [SinkOptions]
    /// Predicates by the names that `@name` stands for.
    package var predicates: [ExactString: ExactString]
    package var notifiers: [AlertNotifier]
    package var alerts: [AlertRule]
    /// Whether the daemon's diagnostics are events.
    package var diagnosticEvents: Bool
    /// What can hardly be meant, and has no effect, one line each.
    package var doubts: [String]

    static let keys = [
        "journal", "sources", "dictionaries", "privacy", "store", "control", "sinks", "predicates", "notifiers",
        "alerts", "diagnostics",
    ]

    /// - Parameters:
    ///   - yaml: the file's text.
    ///   - file: the file's path, for messages and for the folder of relative paths.
    ///   - environment: the environment, for `CREDENTIALS_DIRECTORY`, where the service manager puts credentials.
    ///   - check: finds what else is wrong with what could be read, and is told whether that is all.
    /// - Throws: `SettingsError` with every problem that was found, each with its line.
    package init(
        yaml: String, file: String, environment: [String: String],
        check: (_ settings: Settings, _ isWhole: Bool) -> [SettingsFault] = { _, _ in [] }
    ) throws(SettingsError) {
        let problems = SettingsProblems(file: file)
        let root = try Self.compose(yaml, file: file, isTrusted: true)
        guard let top = SettingsMapping(root, path: SettingsMapping.top, keys: Self.keys, problems: problems) else {
            throw SettingsError(problems: problems.found)
        }
        let paths = SettingsPaths(file: file, environment: environment)
        dictionaries = DictionaryOptions.list(top, paths)
        privacy = top.choice("privacy", of: PrivacyMode.self) ?? .protect
        store = StoreOptions(top, paths)
        sources = SourceRule.list(top, store: store, dictionaries: dictionaries)
        DictionaryOptions.connect(&dictionaries, &sources)
        journal = JournalOptions(top, paths, store: store)
        control = ControlOptions(top, paths)
        predicates = top.predicates()
        sinks = SinkOptions.list(top, paths, store: store, predicates: predicates)
        notifiers = AlertNotifier.list(top, paths)
        diagnosticEvents = top.block("diagnostics", keys: ["events"])?.bool("events") ?? false
        alerts = AlertRule.list(top, predicates, notifiers: notifiers)
        doubts = problems.doubts
        for fault in check(self, problems.found.isEmpty) { problems.add(fault.message, at: root.part(at: fault.place)) }
        guard problems.found.isEmpty else { throw SettingsError(problems: problems.found) }
    }

    /// - Parameter isTrusted: whether it is a file of the administrator. Other texts may have no anchors: aliases nest what they
    ///   stand for without a limit, and Yams hashes keys by recursion.
    /// - Throws: `SettingsError` for a text that is not YAML.
    static func compose(_ yaml: String, file: String, isTrusted: Bool = false) throws(SettingsError) -> Node {
        // libyaml skips the mark, but takes it for the first column of its line.
        let yaml = yaml.withoutByteOrderMark
        if !isTrusted { try refuseAnchors(in: yaml, file: file) }
        do {
            return try Yams.compose(yaml: yaml) ?? Node.mapping(Node.Mapping([]))
        } catch let error as YamlError {
            throw SettingsError(problems: [Self.problem(error, file: file)])
        } catch {
            throw SettingsError(problems: [.init(file: file, message: "not readable as YAML: \(error)")])
        }
    }

    /// Anchors and aliases have the same form, except for their first byte. So each anchor is read as an alias, and refused, since
    /// there is no anchor that it could stand for.
    private static func refuseAnchors(in yaml: String, file: String) throws(SettingsError) {
        let (anchor, alias) = (UInt8(ascii: "&"), UInt8(ascii: "*"))
        guard yaml.utf8.contains(anchor) else { return }
        do {
            _ = try Yams.compose(yaml: String(decoding: yaml.utf8.map { $0 == anchor ? alias : $0 }, as: UTF8.self))
        } catch YamlError.composer(nil, _, let mark, _) {
            let message = "anchors (&name) and aliases (*name) are not read here: write what they stand for"
            throw SettingsError(problems: [.init(file: file, line: mark.line, column: mark.column, message: message)])
        } catch let error as YamlError {
            throw SettingsError(problems: [Self.problem(error, file: file)])
        } catch {
            throw SettingsError(problems: [.init(file: file, message: "not readable as YAML: \(error)")])
        }
    }

    private static func problem(_ error: YamlError, file: String) -> SettingsError.Problem {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let place = context.map { " (\($0.text))" } ?? ""
            return .init(file: file, line: mark.line, column: mark.column, message: "not YAML: \(problem)\(place)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "\"\($0)\"" }.joined(separator: ", ")
            return .init(file: file, line: context.mark.line, message: "written more than once: \(names)")
        default:
            return .init(file: file, message: "not YAML: \(error)")
        }
    }
}

extension Node {
    /// Returns the node of a part, or that of what it should be in.
    fileprivate func part(at place: [String]) -> Node {
        guard let key = place.first else { return self }
        let next = sequence?.first { $0.mapping?["name"]?.string == key } ?? mapping?[Node(key)]
        return next?.part(at: Array(place.dropFirst())) ?? self
    }
}

/// The folders of the settings' paths and credentials.
struct SettingsPaths {
    private let folder: String
    private let credentials: String

    init(file: String, environment: [String: String]) {
        folder = file.contains("/") ? String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]) : "."
        // The folder of the unit's credentials, so that a `--check` from a shell finds them too.
        credentials = environment["CREDENTIALS_DIRECTORY"] ?? "/run/credentials/glossd.service"
    }

    /// Returns the path from the folder on, without `.` and doubled slashes: to write it otherwise is no change. A `..` stays, since
    /// it may lead out of a symbolic link.
    func resolve(_ path: String) -> String {
        let steps = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let whole = ([path.hasPrefix("/") ? "" : folder] + steps.filter { $0 != "." }).joined(separator: "/")
        return whole.isEmpty ? "/" : whole
    }

    func credential(_ name: String) -> String { "\(credentials)/\(name)" }
}
