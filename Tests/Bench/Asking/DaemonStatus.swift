/// What is read of `GET /v1/status`.
struct DaemonStatus {
    private let json: [String: Any]

    init(_ json: [String: Any]) {
        self.json = json
    }

    /// How many events there are now.
    var stored: Int { event("stored") }
    /// Of the event that came last; they are numbered as they come.
    var newestID: Int { event("newest_id") }
    /// How many events a change of the definitions gave another resolution.
    var reprocessed: Int { event("reprocessed") }
    var isReprocessing: Bool { json["reprocessing"] != nil }
    /// Of the definitions in force.
    var version: String? { (json["dictionaries"] as? [[String: Any]])?.first?["version"] as? String }

    private func event(_ key: String) -> Int { (json["events"] as? [String: Any])?[key] as? Int ?? 0 }
}
