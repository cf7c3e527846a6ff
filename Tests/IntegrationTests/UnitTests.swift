import Foundation
import Testing
import TestSupport

/// The unit file as it is shipped, under a real PID 1: systemd in a container on a volatile root, with only /usr of this
/// machine.
@Suite(.timeLimit(.minutes(5))) struct UnitTests {
    @Test(.enabled(if: Requirement.container == nil, "\(Requirement.container ?? "")"))
    func `the unit starts, serves its group, reads what a real journald does, and stops cleanly`() async throws {
        try await GlossInstance.with { instance in
            for name in ["definitions", "gloss.yaml", "prometheus"] {
                try instance.copy("config/\(name)", to: "etc/\(name)")
            }
            try instance.copy("Tests/IntegrationTests/Fixtures/unit.sh", to: "etc/unit.sh")
            let output = try await instance.boot(running: "/etc/gloss/unit.sh")
            let steps = instance.lines(of: "results/steps")
            let log = "\(output.suffix(4000))\n\(instance.text(of: "results/journal"))"
            #expect(steps.last == "done", "the container did not get to the end: \(steps) \(log)")
            #expect(steps.filter { $0.hasPrefix("FAILED") } == [], "\(instance.text(of: "results/journal"))")
            #expect(steps.count { $0.hasPrefix("ok ") } == 38, "\(steps)")
        }
    }

    @Test(.enabled(if: Requirement.systemdAnalyze == nil, "\(Requirement.systemdAnalyze ?? "")"))
    func `systemd-analyze rates the unit's exposure at most 1.3`() async throws {
        let unit = GlossInstance.root.appending(path: "systemd/glossd.service").path
        let output = try await GlossInstance.run("/usr/bin/systemd-analyze", ["security", "--offline=true", unit])
        let match = try #require(output.text.firstMatch(of: /Overall exposure level for glossd.service: ([0-9.]+)/))
        #expect(try #require(Double(match.1)) <= 1.3)
    }

    /// With stand-ins for the programs: stripping the debug build takes longer than everything else here.
    @Test(
        .enabled(if: Requirement.systemdAnalyze == nil, "\(Requirement.systemdAnalyze ?? "")"),
        arguments: ["/usr", "/usr/local"])
    func `what unit and catalog name is there after make install, and systemd accepts every line`(prefix: String)
        async throws
    {
        try await GlossInstance.with { instance in
            let files = FileManager.default
            let root = instance.path("root")
            try await make("install", instance, prefix)
            let unit = "root\(prefix)/lib/systemd/system/glossd.service"
            let named = instance.text(of: unit).matches(of: /(?:file:\/\/|ExecStart=)(\/\S+)/).map { String($0.1) }
            #expect(named.count == 3)
            let catalog = instance.text(of: "root\(prefix)/lib/systemd/catalog/gloss.catalog")
            let explained = catalog.matches(of: /file:\/\/(\/\S+)/).map { String($0.1) }
            #expect(!explained.isEmpty)
            for path in named + explained { #expect(files.fileExists(atPath: root + path), "\(path)") }

            // What it depends on is of this machine.
            try instance.write(
                instance.text(of: unit).replacing("ExecStart=\(prefix)/bin", with: "ExecStart=\(root)\(prefix)/bin"),
                to: "verify/glossd.service")
            let verify = try await GlossInstance.run(
                "/usr/bin/systemd-analyze", ["verify", "--man=no", instance.path("verify/glossd.service")])
            #expect(verify.status == 0)
            #expect(!(verify.text + verify.errors).contains("glossd.service"), "\(verify.text)\(verify.errors)")
        }
    }

    @Test(arguments: ["/usr", "/usr/local"])
    func `make uninstall removes what make install installed, but settings and definitions`(prefix: String) async throws
    {
        try await GlossInstance.with { instance in
            for (folder, names) in [
                ("man1", ["glossctl.1", "glossctl.show.1", "glossd.1", "gloss-receiver.1"]), ("bash", ["glossctl"]),
                ("zsh", ["_glossctl"]), ("fish", ["glossctl.fish"]),
            ] {
                for name in names { try instance.write("made", to: "docs/\(folder)/\(name)") }
            }
            try await make("install", instance, prefix)
            let share = "\(prefix)/share"
            let zsh = prefix == "/usr" ? "vendor-completions" : "site-functions"
            let installed = try self.files(below: instance.path("root"))
            for file in [
                "\(prefix)/bin/glossd", "\(share)/man/man1/glossctl.show.1",
                "\(share)/bash-completion/completions/glossctl", "\(share)/zsh/\(zsh)/_glossctl",
                "\(share)/fish/vendor_completions.d/glossctl.fish", "\(share)/doc/gloss/docs/operations.md",
            ] {
                #expect(installed.contains(file), "\(file)")
            }
            try await make("uninstall", instance, prefix)
            let left = try self.files(below: instance.path("root"))
            #expect(!left.isEmpty && left.allSatisfy { $0.hasPrefix("/etc/gloss/") }, "\(left)")
        }
    }

    private func make(_ target: String, _ instance: GlossInstance, _ prefix: String) async throws {
        if target == "install" {
            try FileManager.default.createDirectory(
                atPath: instance.path("release"), withIntermediateDirectories: true)
            for program in ["glossd", "glossctl", "gloss-dictionary", "gloss-sql", "gloss-receiver"] {
                try FileManager.default.copyItem(atPath: "/bin/true", toPath: instance.path("release/\(program)"))
            }
        }
        let output = try await GlossInstance.run(
            "/usr/bin/make",
            [
                "-C", GlossInstance.root.path, target, "RELEASE=\(instance.path("release"))",
                "DOCS=\(instance.path("docs"))", "DESTDIR=\(instance.path("root"))", "PREFIX=\(prefix)",
            ])
        try #require(output.status == 0, "\(output.errors)")
    }

    private func files(below root: String) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: root))
        return all.compactMap { $0 as? String }.map { "/\($0)" }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}
