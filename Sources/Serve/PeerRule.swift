import Glibc
import Model

/// The clients that are allowed to do something: root, the user that the daemon runs as, and members of some groups.
struct PeerRule: Sendable, CustomStringConvertible {
    var ownUID = geteuid()
    /// The names of the groups. They are looked up each time, since groups may be added later.
    var groups: [String]

    /// The clients that may change the daemon.
    static func admins(_ options: ControlOptions) -> PeerRule {
        PeerRule(groups: options.adminGroup.map { [$0] } ?? [])
    }

    /// The clients that may see the fields of journal entries: those that may change the daemon or read the journal.
    /// - Source: systemd-journald.service(8), "Access Control"
    static func journalReaders(_ options: ControlOptions) -> PeerRule {
        PeerRule(groups: admins(options).groups + ["systemd-journal", "adm"])
    }

    func allows(_ peer: PeerCredentials) -> Bool {
        if peer.uid == 0 || peer.uid == ownUID { return true }
        return groups.contains { Self.groupID(named: $0).map(peer.groups.contains) ?? false }
    }

    /// - Throws: `PeerCredentials.Unknown` if the connection is closed.
    func allows(_ context: ControlContext) async throws -> Bool {
        guard let channel = context.channel else { return false }
        return allows(try await PeerCredentials.read(from: channel))
    }

    /// The allowed clients in words: `Only root and the user that glossd runs as`, and the groups.
    var description: String {
        guard let last = groups.last else { return "Only root and the user that glossd runs as" }
        let names = groups.count == 1 ? last : groups.dropLast().joined(separator: ", ") + " or \(last)"
        return "Only root, the user that glossd runs as, and members of \(names)"
    }

    /// - Returns: `nil` if there is no such group.
    static func groupID(named name: String) -> gid_t? {
        var size = 1 << 10
        while size <= 1 << 20 {
            var record = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            var buffer = [CChar](repeating: 0, count: size)
            switch getgrnam_r(name, &record, &buffer, buffer.count, &found) {
            case 0: return found == nil ? nil : record.gr_gid
            case ERANGE: size *= 4
            default: return nil
            }
        }
        return nil
    }
}
