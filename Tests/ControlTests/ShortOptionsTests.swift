import API
import Foundation
import Model
import Testing

@testable import Control

@Suite struct ShortOptionsTests {
    @Test(arguments: [
        ("show -n20", "order=oldest&n=20"), ("show -n", "order=oldest&n=10"), ("show -rn", "n=10"),
        ("show -n -r", "n=10"), ("report -n unseen", "n=10"), ("show -n 20", "n=20&order=oldest"),
        ("show -nall", "n=all&order=oldest"),
        ("show -n +3", "n=3&order=oldest&after=0"), ("show -n+3", "n=3&order=oldest&after=0"),
        ("show --lines=+3", "n=3&order=oldest&after=0"), ("show -rn20", "n=20"), ("show -r -n 20", "n=20"),
        ("show -fn50 --no-reconnect", "n=50&follow=true"), ("show -f --no-reconnect", "n=10&follow=true"),
        ("tail -n0 --no-reconnect", "n=0&follow=true"),
        ("show -ushop", "unit=shop.service&order=oldest"), ("show -u shop.socket", "unit=shop.socket&order=oldest"),
        ("show -u shop@1", "unit=shop%401.service&order=oldest"), ("show -u shop*", "unit=shop%2A&order=oldest"),
        ("show -ru shop", "unit=shop.service"), ("show -fu shop --no-reconnect", "unit=shop.service&n=10&follow=true"),
        ("show -fushop --no-reconnect", "unit=shop.service&n=10&follow=true"),
        ("show --unit a --unit b", "unit=a.service&unit=b.service&order=oldest"),
        ("show -tshop", "identifier=shop&order=oldest"), ("show --identifier sh*", "identifier=sh%2A&order=oldest"),
        ("show --host web1 --pid 812 --pid 7", "host=web1&pid=812&pid=7&order=oldest"),
        ("show -pwarning", "level=warning&order=oldest"), ("show -p 3", "level=3&order=oldest"),
        ("show --priority err", "level=err&order=oldest"), ("show --level panic", "level=panic&order=oldest"),
        ("show -p WARN", "level=WARN&order=oldest"), ("show -p critical", "level=critical&order=oldest"),
        ("show -p fatal", "level=fatal&order=oldest"),
        ("show -S-5m", "since=1795186510000000&n=all&order=oldest"),
        ("show -S -5m", "since=1795186510000000&n=all&order=oldest"),
        ("show -S=-5m -U-1m", "since=1795186510000000&until=1795186750000000&n=all&order=oldest"),
        (
            "show --program-since -5m --program-until=-1m",
            "program_since=1795186510000000&program_until=1795186750000000&n=all&order=oldest"
        ), ("report violations --program-since=-5m", "program_since=1795186510000000&n=100"),
        ("show -gtap", "grep=tap&order=oldest"), ("show -g -x", "grep=-x&order=oldest"),
        ("show -rg -b", "grep=-b"), ("show -fg -n --no-reconnect", "grep=-n&n=10&follow=true"),
        ("show --resolution violating,undefined", "resolution=violating&resolution=undefined&order=oldest"),
        ("show --user -fr", "user=-fr&order=oldest"),
        ("report unseen -ushop -n5", "unit=shop.service&n=5"),
    ])
    func `options are written as those of journalctl`(line: String, expected: String) async throws {
        let request = try await request(line)
        #expect(
            request.query.split(separator: "&").sorted() == expected.split(separator: "&").sorted(), "\(request)")
    }

    @Test(arguments: [
        ("show -n x", "'x' is invalid for '-n <number>'"),
        ("tail --lines 99999999999999999999", "99999999999999999999"),
        ("sho", "did you mean show?"), ("checklist strat", "there is no command checklist strat; did you mean start?"),
        ("definitions versons", "did you mean versions?"),
        ("foo", "there is no command foo; glossctl --help lists them"),
        ("alerts silence many -1h", "-1h is no option"),
        ("show --last -5m", "-5m is no option; write a length of time without -"),
        ("top --window -1h30m", "-1h30m is no option; write a length of time without -"),
        ("show --pid -7", "Missing value for '--pid"), ("show -S -5m --last", "Missing value for '--last"),
        ("checklist show ''", "a name is empty"),
    ])
    func `what is meant is said about wrong words`(line: String, expected: String) async {
        let words = line.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        let run = await Run.glossctl(words)
        #expect(run.status == .wrongUsage && run.errors.contains(expected), "\(run.errors)")
    }

    /// The path and the query of the first request that is not about the status, which `report` looks at.
    private func request(_ line: String) async throws -> (path: Substring, query: Substring) {
        let daemon = try FakeDaemon { _ in .lines([]) }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + line.split(separator: " ").map(String.init))
        let first = daemon.requests.first { !$0.question.hasPrefix("/v1/status") }
        let target = try #require(first, "\(run.errors)").question[...]
        let parts = target.split(separator: "?", maxSplits: 1)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    @Test(arguments: [
        "show -b", "show --boot", "show -b 0", "show -b0", "show -rb", "show -b -n5", "report -b unseen",
        "checklist record rel -b",
    ])
    func `a boot without an id is the running one`(line: String) async throws {
        let file = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let id = file.filter(\.isHexDigit)
        #expect(try await request(line).query.contains("boot=\(id)"))
    }

    @Test func `no unit has no suffix`() {
        #expect(UnitOption.name("").isEmpty && UnitOption.name("shop") == "shop.service")
    }

    @Test func `a boot with an id keeps it`() async throws {
        for line in ["show -b5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596", "show -b 5f1d0c9a-5c9f-4a0b-a1c3-f1d2e3b4a596"] {
            #expect(try await request(line).query.contains("boot=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596"))
        }
    }

    @Test(arguments: [
        ("show -b -1", "--boot -1: only 0"), ("show -n +3 -r", "-n +N"), ("show -f -n +3", "-n +N"),
        ("tail -n +3", "-n +N"), ("report -n +3", "-n +N"), ("show --resolution violating,", "--resolution :"),
        ("show --resolution violating,bad", "--resolution bad"), ("show -p err..warning", "write one level"),
        ("show -S 5m", #"--since 5m: this is a length of time, not a time; write -5m or "5m ago", or --last 5m"#),
        ("show -U 5m", #"--until 5m: this is a length of time, not a time; write -5m or "5m ago""# + "\n"),
        ("verify --since 5m", #"--since 5m: this is a length of time, not a time; write -5m or "5m ago""# + "\n"),
        ("show -S 1795255200", "write @1795255200 for seconds"), ("show -U 2026", "--until 2026: write 2026-01-01"),
        ("show --pid -3", "pid"), ("show -pid", "a level is one of"),
        ("report undefined,nothing", "nothing"),
    ])
    func `what cannot be is refused with what to write`(line: String, message: String) async {
        let run = await Run.glossctl(line.split(separator: " ").map(String.init))
        #expect(run.status == .wrongUsage)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(arguments: [
        ("lint -b -fr", "lint -b -fr"), ("--socket show status -fr", "--socket show status -fr"),
        ("--socket show show -fr", "--socket show show -f -r"), ("show -- -fr -b", "show -- -fr -b"),
        ("show --since -b -b", "show --since -b -b 0"), ("show -rS -b -b", "show -r -S -b -b 0"),
        ("show -full", "show -f -ull"),
        ("show --full", "show --full"),
    ])
    func `only options of commands with filters are rewritten`(line: String, expected: String) {
        let words = ShortOptions.separated(line.split(separator: " ").map(String.init))
        #expect(words.joined(separator: " ") == expected)
    }

    @Test func `every command takes a format behind its letter`() async throws {
        for command in ["status", "definitions", "definitions versions", "search tap", "event 10", "show"] {
            let (run, _) = try await FakeDaemon.asked(command.split(separator: " ").map(String.init) + ["-ojson"])
            #expect(run.status == .done, "\(command): \(run.errors)")
            #expect(run.output.first == "[" || run.output.first == "{", "\(command)")
        }
    }
}

extension FakeDaemon {
    /// Runs glossctl against the fixtures.
    fileprivate static func asked(_ arguments: [String]) async throws -> (Run, [Request]) {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "") }
        defer { daemon.stop() }
        return (await Run.glossctl(["--socket", daemon.socket] + arguments), daemon.requests)
    }
}
