import Glibc

/// Who may change things: root, the user that the daemon runs as, and the members of a group.
struct AdminRule: Sendable {
    var ownUID = geteuid()
    /// The group's name; it is looked up each time, since people and packages add groups later.
    var group: String?

    func allows(_ peer: PeerCredentials) -> Bool {
        if peer.uid == 0 || peer.uid == ownUID { return true }
        guard let group, let id = Self.groupID(named: group) else { return false }
        return peer.groups.contains(id)
    }

    /// - Returns: `nil` when there is no such group.
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
