import Model

/// The value of `--boot`.
enum BootOption {
    /// Returns the id of the boot.
    static func id(_ text: String) throws(ControlError) -> String {
        if text == "0" { return try runningBoot().description }
        // The kernel writes ids with hyphens, journalctl --list-boots without.
        if let id = ID128(text.replacing("-", with: "")) { return id.description }
        guard Int(text) == nil else {
            throw .wrongUsage(
                "--boot \(text): only 0, the current boot, has a number; use an id from journalctl --list-boots"
            )
        }
        throw .wrongUsage("--boot \(text): write 32 hexadecimal digits, as journalctl --list-boots has them, or 0")
    }

    /// - Source: random(4)
    private static func runningBoot() throws(ControlError) -> ID128 {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let bytes = try? ByteSource.all(of: path, atMost: 4096),
            let id = ID128(String(decoding: bytes, as: UTF8.self).filter { $0.isHexDigit })
        else {
            throw .no("cannot read the running boot's id from \(path)")
        }
        return id
    }
}

/// The value of `--unit`.
enum UnitOption {
    /// Adds `.service` to a name without a suffix and without wildcards. Entries that no unit has sent have an empty one.
    /// - Source: systemd.unit(5); journalctl(1), `--unit`
    static func name(_ text: String) -> String {
        guard !text.isEmpty, !text.contains(where: { "*?".contains($0) }), !suffixes.contains(where: text.hasSuffix)
        else { return text }
        return "\(text).service"
    }

    private static let suffixes = [
        ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer", ".slice",
        ".scope",
    ]
}
