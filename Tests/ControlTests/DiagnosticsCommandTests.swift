import API
import Foundation
import Glibc
import Model
import Testing

@testable import Control

struct DiagnosticsCommandTests {
    private static let time = WireTime(microseconds: 1_795_222_800_000_000)

    private static func found(
        _ code: Diagnostic, _ subject: String?, _ state: DiagnosticReply.State, count: Int64 = 1
    ) -> DiagnosticReply {
        DiagnosticReply(
            code: code.rawValue, subject: subject, state: state, since: state == .raised ? time : nil, first: time,
            last: time, count: count, text: "Something about \(subject ?? "it")\n\u{1B}[31m", advice: code.advice)
    }

    private static let list = DiagnosticList(diagnostics: [
        found(.sinkHeld, "upstream", .raised, count: 3), found(.journalRateLimited, nil, .noted, count: 1234),
        found(.dictionaryBroken, "夕食", .cleared),
    ])

    @Test func `what lasts comes with what to do, and is an answer`() async throws {
        let body = Array(try APICoding.encode(Self.list))
        let (run, requests) = try await ask("diagnostics", "--utc") { _ in .document(body) }
        #expect(run.status == .no && run.errors == "glossctl: 1 problem: sink.held\n")
        #expect(requests.map(\.target) == ["/v1/diagnostics"])
        try expectSnapshot(run.output, "diagnostics-pipe")
        let (raised, _) = try await ask("diagnostics", "--raised") { _ in .document(body) }
        #expect(!raised.output.contains("journal.rate-limited"))
        let over = Array(try APICoding.encode(DiagnosticList(diagnostics: [Self.found(.sinkHeld, "x", .cleared)])))
        #expect(try await ask("diagnostics") { _ in .document(over) }.0.status == .done)
        #expect(try await ask("diagnostics", "--raised") { _ in .document(over) }.0.errors == "Nothing is wrong.\n")
    }

    // MARK: doctor

    @Test func `the doctor says what is wrong, and what to do`() async throws {
        let (run, _) = try await ask("doctor", "--utc") {
            $0.target == APIPath.status ? .document(try Fixture.bytes("status-degraded.json")) : .problem(404, "no")
        }
        #expect(run.status == .no && run.errors.hasSuffix(" found\n"))
        // Whether this machine reaches the sinks, and what this user may, is not the same everywhere.
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.filter { line in !["Access", "Sink ", "Nothing is", "For that"].contains { line.contains($0) }
        }
        .joined(separator: "\n")
        try expectSnapshot(text.replacing(/\/tmp\/gloss-\w+\/s/, with: "SOCKET"), "doctor-pipe")
        let narrow = await Run.glossctl(["doctor", "--socket", "/nowhere/control.sock"], width: 40)
        let marks = narrow.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(marks.count >= 2 && marks.allSatisfy { $0.hasPrefix("\u{1B}[3") }, "\(narrow.output)")
        #expect(!narrow.output.contains("\\u001b"))
        let none = await Run.glossctl("doctor", "--socket", "/nowhere/control.sock")
        #expect(none.status == .no && none.output.hasPrefix("✗ Socket: cannot reach glossd"))
    }

    @Test func `a host is reached, or not`() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        #expect(isBound)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/x"
        #expect(DoctorConnection.failure(to: url) == "Connection refused")
        listen(descriptor, 1)
        #expect(DoctorConnection.failure(to: url) == nil)
        #expect(DoctorConnection.failure(to: "nowhere") == "it is no address")
    }

    @Test(arguments: [
        ("LoadState=not-found", DoctorFinding.State.wrong, "sudo make install"),
        ("LoadState=loaded\nActiveState=failed\nResult=exit-code", .wrong, "systemctl enable --now glossd"),
        ("LoadState=loaded\nActiveState=active\nNRestarts=2\nUnitFileState=enabled", .note, "journalctl -u glossd"),
        ("LoadState=loaded\nActiveState=active\nNRestarts=0\nUnitFileState=disabled", .note, "systemctl enable glossd"),
        ("LoadState=loaded\nActiveState=active\nNRestarts=0\nUnitFileState=enabled", .good, ""),
    ])
    func `the unit is looked at`(text: String, state: DoctorFinding.State, advice: String) {
        let finding = Doctor.finding(of: DoctorUnit(text))
        #expect(finding.state == state && (finding.advice ?? "").contains(advice))
    }

    @Test func `a socket that does not answer is told from a daemon that cannot`() throws {
        let problem = ControlError.refused(Problem(status: 500, title: "The store failed", detail: "no such table"))
        let refused = Doctor.unreachable("/run/gloss/control.sock", problem)
        #expect(refused.what == "Status" && refused.advice?.hasPrefix("See what glossd logs") == true)
        let folder = FileManager.default.temporaryDirectory.appending(path: "gloss-doctor-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appending(path: "s.sock").path
        let gone = try #require(throws: ControlError.self) { _ = try SocketConnection(path: socket, timeout: 1) }
        #expect(Doctor.unreachable(socket, gone).advice?.hasPrefix("Is glossd running") == true)
        let hanging = Doctor.unreachable(socket, ControlError.silent(socket: socket, seconds: 10))
        #expect(hanging.found.hasSuffix("10 seconds") && hanging.advice?.hasPrefix("It hangs") == true)
        let other = Doctor.unreachable(socket, ControlError.otherShape)
        #expect(other.what == "Versions" && other.advice?.hasPrefix("Restart the unit after an update") == true)
        try Data("\(getpid())\n".utf8).write(to: URL(filePath: socket + ".lock"))
        #expect(Doctor.unreachable(socket, gone).advice?.contains("(process \(getpid())): restart it") == true)
    }

    @Test(
        arguments: [
            ("/bin/true", .good, nil), ("/bin/false", .wrong, "sudo /bin/false --check"),
            (nil, .note, "glossd --check"),
        ] as [(String?, DoctorFinding.State, String?)])
    func `settings are checked by the glossd of this glossctl`(
        glossd: String?, state: DoctorFinding.State, advice: String?
    ) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data().write(to: URL(filePath: folder.path("gloss.yaml")))
        var doctor = Doctor(socket: "", isUsual: true, now: Self.time.microseconds, glossd: glossd)
        doctor.settingsFile = folder.path("gloss.yaml")
        doctor.isRoot = true
        let finding = try #require(doctor.settings())
        #expect(finding.state == state && finding.advice?.contains(advice ?? "") ?? (advice == nil))
        // Who may not read the definitions cannot know whether they are right.
        doctor.isRoot = false
        #expect(doctor.settings()?.state == (state == .wrong ? .note : state))
        doctor.settingsFile = folder.path("none.yaml")
        #expect(doctor.settings() == nil)
    }

    @Test func `what this user may ask for is what the daemon says`() async throws {
        for (reply, state, found) in [
            (FakeDaemon.Reply.lines([]), DoctorFinding.State.good, "this user may ask for all"),
            (.problem(403, "Only root may"), .note, "this user sees events, but no fields"),
            (.problem(500, "no such table"), .note, "it is not known what this user may ask for: no such table"),
        ] {
            let daemon = try FakeDaemon { _ in reply }
            defer { daemon.stop() }
            let doctor = Doctor(socket: daemon.socket, isUsual: false, now: Self.time.microseconds)
            let finding = await doctor.rights(ControlClient(socket: daemon.socket))
            #expect(finding.state == state && finding.found.hasPrefix(found), "\(finding)")
            #expect(daemon.requests.map(\.target) == ["/v1/events?predicate=journal._PID%20%3D%3D%20%221%22&n=0"])
        }
    }

    @Test(arguments: [
        ("/home/alice/defs", "ProtectHome=yes", "ProtectHome=tmpfs and BindReadOnlyPaths=/home/alice/defs"),
        (
            "/root/defs", "ProtectHome=yes\nBindReadOnlyPaths=/root/defs:/root/defs:rbind",
            "ProtectHome=tmpfs and BindReadOnlyPaths=/root/defs"
        ),
        ("/home/alice/defs", "ProtectHome=tmpfs", "ProtectHome=tmpfs and BindReadOnlyPaths=/home/alice/defs"),
        ("/home/alice/defs", "ProtectHome=tmpfs\nBindReadOnlyPaths=/home/alice/defs:/home/alice/defs:rbind", nil),
        (
            "/home/alice/defs/shop",
            "ProtectHome=tmpfs\nBindReadOnlyPaths=/srv:/srv:rbind /home/alice/defs:/home/alice/defs:rbind", nil
        ),
        (
            "/home/alice/defs", "ProtectHome=tmpfs\nBindReadOnlyPaths=/home/alice/defs2:/home/alice/defs2:rbind",
            "ProtectHome=tmpfs and BindReadOnlyPaths=/home/alice/defs"
        ),
        (
            "/home/alice/my: defs/shop",
            "ProtectHome=tmpfs\nBindReadOnlyPaths=/srv:/srv:rbind /home/alice/my: defs:/home/alice/my: defs:rbind", nil
        ),
        ("/home/alice/defs", "ProtectHome=read-only", nil), ("/home/alice/defs", "ProtectHome=no", nil),
        ("/tmp/defs", "ProtectHome=yes\nPrivateTmp=yes", "set BindReadOnlyPaths=/tmp/defs"),
        ("/tmp/defs", "PrivateTmp=yes\nBindReadOnlyPaths=/tmp/defs:/tmp/defs:rbind", nil),
        ("/etc/gloss/defs", "ProtectHome=yes\nPrivateTmp=yes", nil),
    ])
    func `a dictionary is only wrong if it cannot be read, which the unit may be why`(
        path: String, unit: String, settings: String?
    ) throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.dictionaries = [status.dictionaries[0]]
        status.dictionaries[0].path = path
        let doctor = Doctor(socket: "", isUsual: true, now: Self.time.microseconds)
        #expect(doctor.problems(status, DoctorUnit(unit)) == [])
        #expect(doctor.dictionaries(status).map(\.state) == [.good])
        status.dictionaries[0].problems = [
            DefinitionProblemReply(
                file: path, line: 1, column: 1, severity: .error, rule: "unreadable-file",
                message: "the folder cannot be read: Permission denied")
        ]
        let name = status.dictionaries[0].name
        status.problems = [
            StatusProblem(.dictionaryBroken, name, what: "it cannot be read", hint: "Correct it."),
            StatusProblem(.sinkHeld, name, what: "it is held", hint: "Correct it."),
        ]
        #expect(doctor.dictionaries(status) == [])
        let advice = doctor.problems(status, DoctorUnit(unit)).map(\.advice)
        if let settings {
            #expect(advice[0]?.contains(settings) == true)
        } else {
            #expect(advice[0] == "Correct it.")
        }
        #expect(advice[1] == "Correct it." && doctor.problems(status, nil)[0].advice == "Correct it.")
    }

    @Test func `journals that are not read are named, which is no failure`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        let doctor = Doctor(socket: "", isUsual: false, now: Self.time.microseconds)
        #expect(doctor.uncovered(status) == nil)
        status.journal.uncovered = ["/var/log/journal/remote"]
        let one = try #require(doctor.uncovered(status))
        #expect(one.state == .note && one.found.hasPrefix("/var/log/journal/remote with journal files"))
        status.journal.uncovered = ["/j/a", "/j/b", "/j/c"]
        #expect(doctor.uncovered(status)?.found.hasPrefix("/j/a and 2 other folders with journal files") == true)
    }

    @Test func `a clock that is wrong and a sink that fails are found`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        var doctor = Doctor(socket: "", isUsual: false, now: Self.time.microseconds, reach: { _ in nil })
        status.events?.newestTime = WireTime(microseconds: Self.time.microseconds + 3_600_000_000)
        #expect(doctor.clock(status).state == .wrong)
        #expect(doctor.sinks(status)[0].state == .good)
        doctor.reach = { _ in "refused" }
        #expect(doctor.sinks(status)[0].found.hasSuffix("cannot be reached from here: refused"))
        status.sinks[0].state = .retrying
        #expect(doctor.sinks(status)[0].state == .wrong)
        let name = status.sinks[0].name
        status.problems = [StatusProblem(.dictionaryBroken, name, what: "it is broken")]
        #expect(doctor.sinks(status).count == 1)
        status.problems = [StatusProblem(.sinkRetrying, name, what: "it has been retrying for 6 minutes")]
        #expect(doctor.sinks(status).isEmpty && doctor.problems(status, nil).count == 1)
        status.problems = []
        // A problem of the store, not of its own.
        status.sinks[0].state = .paused
        #expect(doctor.sinks(status)[0].state == .note)
        status.journal.completeUntil = Self.time
        #expect(doctor.journal(status).state == .good)
        status.journal.completeUntil = WireTime(microseconds: Self.time.microseconds - 61_000_000)
        #expect(doctor.journal(status).found.hasSuffix("behind"))
        status.journal.completeUntil = nil
        #expect(doctor.journal(status).found.hasSuffix("not read to the end yet"))
        status.journal.entries = nil
        #expect(doctor.journal(status).advice?.contains("damaged") == true)
        status.state = .paused
        #expect(doctor.journal(status).state == .wrong && doctor.journal(status).found.hasSuffix("paused"))
        status.problems = [StatusProblem(.storeFull, what: "Reading is paused")]
        #expect(doctor.journal(status).state == .note && doctor.journal(status).found.hasSuffix("paused"))
        status.journal.files = 0
        #expect(doctor.journal(status).state == .wrong)
        status.problems = [StatusProblem(.journalUnreadable, "/j", what: "Not read: /j: there is no such folder")]
        #expect(doctor.journal(status).state == .note && doctor.problems(status, nil).count == 1)
        status.gaps?.count = 0
        #expect(doctor.gaps(status) == nil)
        status.gaps?.count = 2
        #expect(doctor.gaps(status)?.found == "entries are missing in 2 places")
        status.dictionaries = []
        #expect(doctor.dictionaries(status)[0].state == .note)
    }
}
