import Glibc
import Linux
import Model

/// What systemd says of the unit.
struct DoctorUnit {
    private var properties: [ExactString: ExactString] = [:]

    private static let names = [
        "LoadState", "ActiveState", "UnitFileState", "NRestarts", "ProtectHome", "PrivateTmp", "BindReadOnlyPaths",
        "Result",
    ]

    /// - Returns: `nil` where systemd does not run, or does not answer.
    init?() {
        guard access("/run/systemd/system", F_OK) == 0,
            let text = DoctorProgram.output(
                "/usr/bin/systemctl", ["show", "glossd.service", "-p", Self.names.joined(separator: ",")])
        else { return nil }
        self.init(text)
    }

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let parts = line.parts(at: "=") else { continue }
            properties[ExactString(String(parts.before))] = ExactString(String(parts.after))
        }
    }

    subscript(name: String) -> String { properties[ExactString(name)]?.text ?? "" }

    /// What has to be set so that the daemon sees a folder; `nil` if the unit does not hide it.
    /// - Source: systemd.exec(5), ProtectHome=, PrivateTmp=
    func settings(toSee path: String) -> String? {
        let binding = "BindReadOnlyPaths=\(path)"
        // Each is SOURCE:DESTINATION:OPTIONS, and names of folders may have spaces and colons, too.
        let bindings = self["BindReadOnlyPaths"] + " "
        let folders = sequence(first: path[...]) { folder in folder.lastIndex(of: "/").map { folder[..<$0] } }
        let isBound = folders.contains { folder in
            !folder.isEmpty && (bindings.contains(":\(folder):") || bindings.contains(":\(folder) "))
        }
        if ["/home/", "/root/", "/run/user/"].contains(where: path.hasPrefix) {
            // With `yes`, what is mounted below a home cannot be reached. With `read-only` or `no`, the permissions of the home
            // count, which usually let nobody else in.
            let isHidden = self["ProtectHome"] == "yes" || self["ProtectHome"] == "tmpfs" && !isBound
            return isHidden ? "ProtectHome=tmpfs and \(binding)" : nil
        }
        let isHidden =
            ["/tmp/", "/var/tmp/"].contains(where: path.hasPrefix) && self["PrivateTmp"] == "yes" && !isBound
        return isHidden ? binding : nil
    }
}

/// A program that a check runs.
enum DoctorProgram {
    /// - Returns: what it printed; `nil` if it is not there, or did not end well.
    static func output(_ path: String, _ arguments: [String]) -> String? {
        guard let process = try? ChildProcess(path, arguments) else { return nil }
        process.finish()
        var bytes: [UInt8] = []
        while case let piece = process.read(atMost: 4096), !piece.isEmpty { bytes += piece }
        return process.wait() == .status(0) ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
