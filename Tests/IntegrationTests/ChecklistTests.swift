import Foundation
import Glibc
import TestSupport
import Testing

/// Checklists with the built programs and a real journal.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct ChecklistTests {
    private static let list = """
        checklist: release
        items:
          - recipe_detail/show
          - {event: recipe_detail/tap_save_button, predicate: payload.recipe_id == 7}
        orders:
          - [recipe_detail/show, recipe_detail/tap_save_button]
        """

    /// Sends an event, and waits until glossd has it.
    private static func emit(_ name: String, _ namespace: String) -> String {
        """
        glossctl emit --subsystem com.example.shop --category ActivityLog --namespace \(namespace) \
        '{"event_category":"recipe_detail","event_name":"\(name)","recipe_id":7,"position":1,\
        "session_id":"01234567-89ab-cdef-0123-456789abcdef","platform":"ios"}'
        tries=0
        until glossctl show --event 'recipe_detail/\(name)' -o ndjson | grep -q .; do
            tries=$((tries + 1))
            [ $tries -lt 300 ] || exit 9
            sleep 0.1
        done
        """
    }

    /// Runs the recipe for CI, with a script as the UI tests.
    private func check(
        _ script: (String) -> String, _ environment: [String: String] = [:], list: String = list,
        definitions: String = GlossInstance.root.appending(path: "config/definitions").path
    ) async throws -> (run: GlossInstance.Output, junit: String, summary: String) {
        try await GlossInstance.with { instance in
            let namespace = "gloss-ci-\(UInt32.random(in: 0 ... .max))"
            try list.write(
                to: instance.folder.appending(path: "release.yaml"), atomically: true, encoding: .utf8)
            let path = GlossInstance.programs.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            // An earlier job has left a report, behind a link.
            let junit = instance.folder.appending(path: "artifacts.xml")
            try instance.write("<earlier/>", to: "artifacts.xml")
            let link = instance.folder.appending(path: "checklist.xml")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: junit)
            let temporary = instance.folder.appending(path: "tmp")
            try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
            let summary = instance.folder.appending(path: "summary.md")
            // A machine has one journal in the usual place: tests of another checkout wait.
            let run = try await GlossInstance.run(
                "/usr/bin/flock",
                [
                    "--close", "--timeout", "60", "/run",
                    GlossInstance.root.appending(path: "config/ci/check-events").path,
                    instance.folder.appending(path: "release.yaml").path,
                    definitions, "sh", "-ec", script(namespace),
                ],
                environment: [
                    "PATH": path, "TMPDIR": temporary.path, "GLOSS_NAMESPACE": namespace, "GLOSS_JUNIT": link.path,
                    "GLOSS_SUBSYSTEM": "com.example.*", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary.path,
                ].merging(environment) { $1 })
            let left = ["/run/systemd", "/run/log/journal"].flatMap {
                (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []
            }
            #expect(!left.contains { $0.contains(namespace) })
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
            return (
                run, (try? String(contentsOf: junit, encoding: .utf8)) ?? "",
                (try? String(contentsOf: summary, encoding: .utf8)) ?? ""
            )
        }
    }

    @Test func `a job in CI passes when the events of its list are sent`() async throws {
        let (run, junit, summary) = try await check { namespace in
            [Self.emit("show", namespace), Self.emit("tap_save_button", namespace)].joined(separator: "\n")
        }
        #expect(run.status == 0, "\(run.text) \(run.errors)")
        #expect(run.text.contains("3 of 3 done"))
        #expect(junit.contains(#"<testsuites tests="3" failures="0" errors="0">"#), "\(junit)")
        #expect(summary.contains("- [x] `recipe_detail/show` 1"))
    }

    @Test func `a second job beside it is refused, and takes nothing from it`() async throws {
        let program = GlossInstance.root.appending(path: "config/ci/check-events").path
        let definitions = GlossInstance.root.appending(path: "config/definitions").path
        let (run, junit, _) = try await check { namespace in
            """
            \(Self.emit("show", namespace))
            # The path of its workspace may be longer than that of a socket.
            workspace=${GLOSS_JUNIT%/*}/$(printf %0100d 0)
            mkdir "$workspace"
            cd "$workspace"
            status=0
            \(program) none.yaml \(definitions) echo it-has-run || status=$?
            [ $status -eq 2 ]
            # Where programs find the first one's journal in the usual place, so would those of any other.
            if [ -L /run/systemd/journal ]; then
                status=0
                GLOSS_NAMESPACE=\(namespace)-2 \(program) none.yaml \(definitions) echo it-has-run || status=$?
                [ $status -eq 2 ]
            fi
            \(Self.emit("tap_save_button", namespace))
            """
        }
        #expect(run.status == 0, "\(run.text) \(run.errors)")
        #expect(run.errors.contains("check-events: another one is running"), "\(run.errors)")
        #expect(!run.text.contains("it-has-run"))
        #expect(junit.contains(#"<testsuites tests="3" failures="0" errors="0">"#), "\(junit)")
    }

    @Test func `what is wrong before its command is said without running it`() async throws {
        let timeout = try await check({ _ in "echo it-has-run" }, ["GLOSS_TIMEOUT": "60sek"])
        #expect(timeout.run.status == 2 && !timeout.run.text.contains("it-has-run"))
        #expect(timeout.run.errors.contains("GLOSS_TIMEOUT 60sek: not a length of time"), "\(timeout.run.errors)")
        let name = try await check({ _ in "echo it-has-run" }, ["GLOSS_NAMESPACE": "no name"])
        #expect(name.run.status == 2 && !name.run.text.contains("it-has-run"))
        #expect(name.run.errors.contains("journal.namespace must be a name"), "\(name.run.errors)")
        let folder = try await check({ _ in "echo it-has-run" }, definitions: "/nowhere")
        #expect(folder.run.status == 1 && !folder.run.text.contains("it-has-run"))
        #expect(folder.run.errors.contains("/nowhere"), "\(folder.run.errors)")
        #expect(!folder.run.errors.contains("journal.namespace"), "\(folder.run.errors)")
        #expect(folder.junit == "")
    }

    @Test func `without an answer it fails, and prints the log`() async throws {
        let (run, junit, _) = try await check { _ in
            """
            for process in $(cat /proc/$PPID/task/*/children); do
                if grep -qx glossd /proc/$process/comm; then kill $process; fi
            done
            tries=0
            while [ -S "$GLOSS_SOCKET" ]; do
                tries=$((tries + 1))
                [ $tries -lt 200 ] || exit 9
                sleep 0.1
            done
            """
        }
        #expect(run.status == 1 && junit == "")
        #expect(run.errors.contains("check-events: there is no result"), "\(run.errors)")
        #expect(run.errors.contains("Ready. glossd") && run.errors.contains("cannot reach glossd"), "\(run.errors)")
    }

    @Test func `it fails when one is not, or its command does`() async throws {
        let (run, junit, summary) = try await check(
            { namespace in Self.emit("show", namespace) }, ["GLOSS_TIMEOUT": "2s"])
        #expect(run.status == 1, "\(run.text) \(run.errors)")
        #expect(run.errors.contains("missing: "))
        #expect(run.text.contains("::error title=checklist release::recipe_detail/tap_save_button"))
        #expect(junit.contains(#"failures="2""#) && summary.contains("**missing**"))
        // What makes a result uncertain is in all reports.
        let name = #"iOS  "über" 1\2"#
        let uncertain = try await check(
            { namespace in Self.emit("show", namespace) }, ["GLOSS_TIMEOUT": "2s"],
            list: "checklist: '\(name)'\nitems: [recipe_detail/show, {event: recipe_detail/carsh, never: true}]")
        let reason = "unknown: recipe_detail/carsh: no dictionary defines this event"
        #expect(uncertain.run.status == 1)
        #expect(uncertain.run.text.contains("::error title=checklist \(name)::\(reason)"), "\(uncertain.run.text)")
        #expect(uncertain.junit.contains(reason) && uncertain.summary.contains("no dictionary defines this event"))
        let failed = try await check({ _ in "exit 7" }, ["GLOSS_TIMEOUT": "1s"])
        #expect(failed.run.status == 7)
        // A job that is cancelled leaves nothing behind, also not of what its command has started.
        // timeout(1) makes a group of its own.
        let cancelled = try await check({ _ in
            #"timeout 60 sh -c "echo \$\$; kill -TERM $PPID; sleep 60; true"; true"#
        })
        #expect(cancelled.run.status == 143)
        let child = try #require(cancelled.run.lines.first)
        // Where nobody waits for it, its entry stays.
        let stat = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ") Z"
        #expect(stat.contains(") Z"), "\(stat)")
    }
}
