import Foundation

/// A machine with systemd as its PID 1: a container on a volatile root, with only /usr of this machine. It has the unit file
/// as it is shipped, `glossd`, `glossctl` and `gloss-sql`.
extension GlossInstance {
    /// Copies a file or folder of the checkout.
    func copy(_ source: String, to name: String) throws {
        let target = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.root.appending(path: source).path, toPath: target.path)
    }

    /// Boots it, runs a script beside glossd.service, and returns what it printed when it is switched off: the script does that.
    /// The folder `etc` is its /etc/gloss, and `results` its /results.
    /// - Parameter script: a path on the machine.
    func boot(running script: String) async throws -> String {
        let files = FileManager.default
        for name in ["results", "programs"] {
            try files.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        try copy("systemd/glossd.service", to: "units/glossd.service")
        try write(
            """
            [Unit]
            Description=Runs the test
            After=glossd.service
            [Service]
            ExecStart=/bin/bash \(script)
            """, to: "units/gloss-test.service")
        try write(
            """
            [Unit]
            Requires=sysinit.target sockets.target
            After=sysinit.target sockets.target
            Wants=glossd.service gloss-test.service dbus.service
            AllowIsolate=yes
            """, to: "units/gloss-test.target")
        try files.createSymbolicLink(
            atPath: path("units/systemd-firstboot.service"), withDestinationPath: "/dev/null")
        for program in ["glossd", "glossctl", "gloss-sql"] {
            try files.copyItem(
                atPath: Self.programs.appending(path: program).path, toPath: path("programs/\(program)"))
        }
        let output = try await Self.run(
            "/usr/bin/timeout", ["--signal=KILL", "120", "systemd-nspawn"] + containerArguments())
        return output.text
    }

    private func containerArguments() async throws -> [String] {
        [
            "--quiet", "--register=no", "--keep-unit", "-D", "/", "--volatile=yes", "--boot", "--console=read-only",
            "--machine=gloss-\(UUID().uuidString.prefix(8).lowercased())",
            "--overlay=/usr/bin:\(path("programs")):/usr/bin",
            "--bind=\(path("units")):/etc/systemd/system",
            "--bind-ro=\(path("etc")):/etc/gloss",
            "--bind=\(path("results")):/results",
        ] + (try await runtimeLibraries().map { "--bind-ro=\($0)" }) + ["systemd.unit=gloss-test.target"]
    }

    /// A debug build needs Swift's libraries, which are outside /usr where the toolchain is.
    private func runtimeLibraries() async throws -> Set<String> {
        let output = try await Self.run("/usr/bin/ldd", [Self.programs.appending(path: "glossd").path])
        let libraries = output.text.matches(of: /=> (\/\S+)/).map { String($0.1) }
        return Set(
            libraries.filter { !$0.hasPrefix("/usr/") && !$0.hasPrefix("/lib") }
                .map { URL(filePath: $0).deletingLastPathComponent().path })
    }
}
