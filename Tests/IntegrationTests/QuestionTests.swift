import Foundation
import TestSupport
import Testing

/// Questions to the built programs: SQL, exports, and the user's own predicates.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct QuestionTests {
    private static let script = Tool("/usr/bin/script", package: "bsdutils")

    private func withEvents(_ body: (GlossInstance) async throws -> Void) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                for position in 0..<20 {
                    let value = position % 4 == 3 ? #""第\#(position)""# : "\(position)"
                    try journald.send([
                        "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
                        "MESSAGE":
                            #"{"event_category":"recipe_search","event_name":"select_result","recipe_id":\#(1000 + position),"position":\#(value)}"#,
                    ])
                }
                try await eventually("all are stored") { try await instance.events().count == 20 }
                try await body(instance)
            }
        }
    }

    @Test func `events are found, marked and compared by what their journal entries have`() async throws {
        try await withEvents { instance in
            let all = try await instance.glossctl(
                "show", "journal.SUBSYSTEM == com.example.shop", "-n", "all", "-o", "cat")
            #expect(all.lines.count == 20, "\(all.text)\(all.errors)")
            let some = try await instance.glossctl(
                "show", "journal.MESSAGE contains 1007 or journal._TRANSPORT == kernel", "-o", "cat")
            #expect(some.lines.count == 1 && some.text.contains("1007"), "\(some.text)\(some.errors)")
            let marked = try await instance.glossctl(
                "show", "-n", "3", "--highlight", "payload.recipe_id == 1018", "--diff")
            let events = marked.lines.filter { $0.contains("recipe_search/") }
            #expect(events.map { $0.hasPrefix("> ") } == [false, true, false], "\(marked.text)")
            #expect(events[1].contains("recipe_id=1017 → 1018"), "\(marked.text)")
        }
    }

    @Test func `SQL and an export have the events that are stored`() async throws {
        try await withEvents { instance in
            let table = try await instance.glossctl("sql", ".tables").lines.first {
                $0.hasPrefix("recipe_search_select_result")
            }
            let name = try #require(table?.split(separator: " ").first.map(String.init))
            let statement =
                "SELECT typeof(position), count(*), gloss_resolution FROM \(name) GROUP BY 1, 3 ORDER BY 1"
            let answer = try await instance.glossctl("sql", statement, "-o", "csv")
            #expect(answer.status == 0 && answer.lines.count == 3, "\(answer.text)\(answer.errors)")
            #expect(answer.lines.contains { $0.hasPrefix("integer,15,") } && answer.lines.contains("text,5,violating"))
            let filtered = try await instance.glossctl(
                "sql", "SELECT count(*) FROM events", "-o", "csv", "--resolution", "violating")
            let violating = try await instance.events().count { $0["resolution"] as? String == "violating" }
            #expect(filtered.lines == ["count(*)", "\(violating)"])

            let file = instance.path("events.sqlite.export")
            let export = try await instance.glossctl("export", "--sqlite", file)
            #expect(export.status == 0 && export.errors.contains("20 events"), "\(export.errors)")
            let script = """
                import sqlite3, sys
                file = sqlite3.connect(sys.argv[1])
                print([list(row) for row in file.execute(sys.argv[2])])
                print(file.execute("SELECT count(*) FROM events JOIN \(name) ON id = gloss_id").fetchone()[0])
                print(file.execute("PRAGMA integrity_check").fetchone()[0])
                """
            let read = try await GlossInstance.run("/usr/bin/python3", ["-c", script, file, statement])
            let rows = try await instance.glossctl("sql", statement, "-o", "json")
            let objects = try #require(
                try JSONSerialization.jsonObject(with: Data(rows.text.utf8)) as? [[String: Any]])
            #expect(objects.count == 2)
            let listed = objects.map { row in
                "['\(row["typeof(position)"] ?? "")', \(row["count(*)"] ?? ""), '\(row["gloss_resolution"] ?? "")']"
            }
            #expect(read.lines == ["[\(listed.joined(separator: ", "))]", "20", "ok"], "\(read.text)\(read.errors)")
            // What is there is not replaced unless that is asked for.
            #expect(try await instance.glossctl("export", "--sqlite", file).status == 1)
            #expect(try await instance.glossctl("export", "--sqlite", file, "--force", "position == 1").status == 0)
            let csv = instance.path("csv")
            #expect(try await instance.glossctl("export", "--csv", csv).status == 0)
            #expect(
                instance.lines(of: "csv/\(name).csv").count == 21 && instance.lines(of: "csv/columns.csv").count > 50)
            let (heading, row) = (instance.lines(of: "csv/events.csv")[0], instance.lines(of: "csv/violations.csv")[0])
            #expect(heading.contains(",time,") && !heading.contains("time_") && !row.contains("time_"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: csv).allSatisfy { !$0.contains("partial") })
        }
    }

    @Test func `an export to where nothing can be written leaves nothing behind`() async throws {
        try await withEvents { instance in
            let export = try await instance.glossctl("export", "--sqlite", "/dev/full/x")
            #expect(export.status == 1 && export.errors.contains("/dev/full/x"))
            let folder = try await instance.glossctl("export", "--csv", "/dev/full/x")
            #expect(folder.status == 1)
            let device = try await instance.glossctl("export", "--sqlite", "/dev/full", "--force")
            #expect(device.status == 1 && device.errors.contains("no file that could be replaced"))
        }
    }

    /// SQLite takes file: for the beginning of a URI.
    @Test func `an export is written to the file that is named, whatever its name`() async throws {
        try await withEvents { instance in
            try instance.write("mine\n", to: "victim.sqlite")
            let folder = URL(filePath: instance.path("victim.sqlite")).deletingLastPathComponent().path
            let script = #"cd "$1" && exec "$2" --socket "$3" export --sqlite 'file:victim.sqlite?x='"#
            let export = try await GlossInstance.run(
                "/bin/sh",
                ["-c", script, "sh", folder, GlossInstance.programs.appending(path: "glossctl").path, instance.socket])
            #expect(export.status == 0 && instance.lines(of: "victim.sqlite") == ["mine"], "\(export.errors)")
            let file = try FileHandle(forReadingFrom: URL(filePath: folder + "/file:victim.sqlite?x="))
            #expect(try file.read(upToCount: 15) == Data("SQLite format 3".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.contains("partial") })
        }
    }

    @Test func `an export replaces no file of a folder, and mixes with no other export`() async throws {
        try await withEvents { instance in
            try instance.write("mine\n", to: "csv/events.csv")
            try instance.write("mine\n", to: "csv/old.csv")
            let refused = try await instance.glossctl("export", "--csv", instance.path("csv"))
            #expect(refused.status == 1 && refused.errors.contains("events.csv exists already; --force replaces it"))
            #expect(instance.lines(of: "csv/events.csv") == ["mine"])
            let replaced = try await instance.glossctl("export", "--csv", instance.path("csv"), "--force")
            #expect(replaced.status == 0 && replaced.errors.contains("not of this export: old.csv"))
            #expect(instance.lines(of: "csv/events.csv").count == 21)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: instance.path("csv")).allSatisfy {
                    !$0.hasPrefix(".")
                })
            let glossctl = "\(GlossInstance.programs.appending(path: "glossctl").path) --socket \(instance.socket)"
            for target in ["--sqlite \(instance.path("both"))", "--csv \(instance.path("folder"))"] {
                let export = "{ \(glossctl) export \(target); echo $?; }"
                let both = try await GlossInstance.run("/bin/bash", ["-c", "\(export) & \(export) & wait"])
                #expect(both.lines.sorted() == ["0", "1"], "\(both.errors)")
            }
            #expect(instance.lines(of: "folder/events.csv").count == 21)
        }
    }

    @Test func `an export whose file gets too long, or whose terminal closes, leaves nothing behind`() async throws {
        try await withEvents { instance in
            let glossctl = "\(GlossInstance.programs.appending(path: "glossctl").path) --socket \(instance.socket)"
            let targets = ["--sqlite \(instance.path("left"))", "--csv \(instance.path("left"))"]
            func export(_ script: String, _ target: String) async throws -> Int32 {
                let run = try await GlossInstance.run("/bin/sh", ["-c", "\(script) \(glossctl) export \(target)"])
                try await eventually("what is incomplete is removed") {
                    try FileManager.default.contentsOfDirectory(atPath: instance.folder.path)
                        .allSatisfy { !$0.contains("left") }
                }
                return run.status
            }
            for target in targets { #expect(try await export("ulimit -f 1;", target) == 1) }
            for target in targets {
                for (signal, status) in [("HUP", 129), ("TERM", 143)] {
                    // Early ones come before glossctl looks for signals.
                    for seconds in [0.01, 0.02, 0.03, 0.04, 0.05] {
                        let timeout = "timeout --foreground --preserve-status -s \(signal) \(seconds)"
                        let found = try await export(timeout, target)
                        #expect(found == Int32(status), "after \(seconds) s")
                    }
                }
            }
        }
    }

    @Test func `an export that is interrupted leaves nothing behind`() async throws {
        try await withEvents { instance in
            for milliseconds in stride(from: 20, through: 400, by: 20) {
                // As Ctrl-C does, it ends all processes of the group.
                let export = try await GlossInstance.run(
                    "/usr/bin/timeout",
                    [
                        "-s", "INT", "\(Double(milliseconds) / 1000)",
                        GlossInstance.programs.appending(path: "glossctl").path,
                        "--socket", instance.socket, "export", "--sqlite", instance.path("interrupted"), "--force",
                    ])
                let status = export.status
                try await eventually("what is incomplete is removed") {
                    try FileManager.default.contentsOfDirectory(atPath: instance.folder.path)
                        .allSatisfy { !$0.contains("partial") }
                }
                #expect([0, 124].contains(status), "\(export.errors)")
            }
        }
    }

    @Test func `signals that the caller ignores do not end glossctl`() async throws {
        let glossctl = GlossInstance.programs.appending(path: "glossctl").path
        // It waits for an input that has no end.
        let script = """
            trap '' INT HUP; mkfifo input; sleep 600 >input & input=$!; \(glossctl) checklist start - <input &
            for i in $(seq 300); do grep -qx glossctl /proc/$!/comm && break; sleep 0.1; done; sleep 0.5
            kill -INT $!; kill -HUP $!; sleep 1; kill -TERM $!; wait $!; status=$?; kill $input; exit $status
            """
        try await withTemporaryFolder { folder in
            let run = try await GlossInstance.run("/bin/sh", ["-c", "cd '\(folder.path)'; \(script)"])
            #expect(run.status == 143)
        }
    }

    /// The last locale is not installed.
    @Test(
        .enabled(if: script.reasonToSkip == nil, "\(script.reasonToSkip ?? "")"),
        arguments: ["C.UTF-8", "C", "xx_XX.UTF-8"])
    func `a terminal gets a prompt`(locale: String) async throws {
        try await withEvents { instance in
            let command = "glossctl --socket \(instance.socket) sql"
            let shown = try await GlossInstance.run(
                "/bin/sh",
                [
                    "-c",
                    "PATH=\(GlossInstance.programs.path):$PATH LC_ALL=\(locale) XDG_STATE_HOME=\(instance.path("state")) timeout 20 \(Self.script.path) -qec '\(command)' /dev/null",
                ], input: "SELECT count(*)\nFROM events;\nSELECT usr;\nSELECT '夕' || '食';\n.quit\n"
            ).text
            #expect(shown.contains("gloss> ") && shown.contains("\r\n      20\r\n"), "\(shown)")
            #expect(shown.contains("no such column: usr"), "\(shown)")
            #expect(shown.contains("\r\n夕食\r\n"), "\(shown)")
        }
    }

    @Test(.enabled(if: script.reasonToSkip == nil, "\(script.reasonToSkip ?? "")"))
    func `at a prompt, Ctrl-C stops the statement that runs, and then ends glossctl`() async throws {
        try await withEvents { instance in
            let file = instance.path("shown")
            try instance.write(
                """
                soon() { for i in $(seq 300); do grep -q "$1" '\(file)' && return; sleep 0.1; done; }
                soon 'gloss> '
                printf 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\n'
                # Until the program that runs statements has computed for half a second.
                computes() {
                    cat /proc/[0-9]*/stat 2>/dev/null | awk '$2 == "(gloss-sql)" && $14 > 50 { f = 1 } END { exit !f }'
                }
                for i in $(seq 300); do computes && break; sleep 0.1; done
                printf '\\003'
                soon 'Stopped'
                printf 'SELECT 20 * count(*) FROM events;\n'
                soon ' 400'
                sleep 2
                printf '\\003'
                soon 'status'
                """, to: "typed.sh")
            // A shell without the trap would end with the signal, or not: that depends on which one it is.
            let command = "trap : INT; glossctl --socket \(instance.socket) sql; echo status $?"
            let run = try await GlossInstance.run(
                "/bin/sh",
                [
                    "-c",
                    """
                    PATH=\(GlossInstance.programs.path):$PATH; export PATH XDG_STATE_HOME=\(instance.path("state")); \
                    : >'\(file)'; sh \(instance.path("typed.sh")) | \
                    timeout 60 \(Self.script.path) -qfc '\(command)' /dev/null >'\(file)'
                    """,
                ])
            let shown = try String(contentsOfFile: file, encoding: .utf8)
            #expect(run.status == 0, "\(run.errors)")
            #expect(shown.contains("Stopped.\r\n"), "\(shown)")
            #expect(shown.contains(" 400\r\n"), "\(shown)")
            #expect(shown.contains("status 130"), "\(shown)")
        }
    }

    @Test func `predicates have names in the user's own file`() async throws {
        try await withEvents { instance in
            try instance.write("few = position < 2\n", to: "home/.config/gloss/predicates")
            let glossctl = GlossInstance.programs.appending(path: "glossctl").path
            for variable in ["HOME=\(instance.path("home"))", "XDG_CONFIG_HOME=\(instance.path("home/.config"))"] {
                let shown = try await GlossInstance.run(
                    "/usr/bin/env",
                    ["-i", variable, glossctl, "--socket", instance.socket, "show", "-o", "ndjson", "@few"])
                #expect(shown.status == 0 && shown.lines.count == 2, "\(shown.errors)")
            }
        }
    }

    @Test func `shells get completions from the daemon`() async throws {
        try await withEvents { instance in
            func completions(
                _ words: [String], _ option: String, _ typed: String, cursor: Int? = nil, shell: String = "fish"
            ) async throws -> [String] {
                let all = ["glossctl", "--socket", instance.socket] + words + [typed]
                let place = [option, "\(all.count - 1)", "\(cursor ?? typed.utf8.count)"]
                let output = try await GlossInstance.run(
                    "/usr/bin/env",
                    [
                        "SAP_SHELL=\(shell)", GlossInstance.programs.appending(path: "glossctl").path, "---completion",
                    ] + words.prefix { !$0.hasPrefix("-") } + ["--"] + place + all)
                return output.lines.map(String.init)
            }
            #expect(try await completions(["show", "--event"], "--event", "reci") == ["recipe_search/select_result"])
            #expect(try await completions(["show", "--subsystem"], "--subsystem", "") == ["com.example.shop"])
            #expect(try await completions(["stats", "--by"], "--by", "event,dict") == ["event,dictionary"])
            #expect(
                try await completions(["show"], "positional@0", "level >= error and posi") == [
                    "level >= error and position"
                ])
            #expect(
                try await completions(["show"], "positional@0", "(resolution == viol") == ["(resolution == violating"])
            #expect(
                try await completions(["show"], "positional@0", "event == recipe_search/sel") == [
                    "event == recipe_search/select_result"
                ])
            // Shells say otherwise what is in quotes; they keep the first one.
            let quoted = #"event == "recipe_search/select_result""#
            // For zsh, something follows that its script removes.
            #expect(
                try await completions(["show"], "positional@0", #"'event == "rec"#, cursor: 4, shell: "zsh").first
                    == quoted)
            #expect(
                try await completions(["show"], "positional@0", #"'event == "rec"#, shell: "bash") == [
                    #"event\ ==\ \"recipe_search/select_result\""#
                ])
            #expect(try await completions(["show"], "positional@0", "'dict", shell: "bash") == ["dictionary"])
            #expect(
                try await completions(["show", "--fields"], "--fields", "time,resol") == [
                    "time,resolution", "time,resolution.reason",
                ])
            #expect(
                try await completions(["show", "--resolution"], "--resolution", "violating,un") == [
                    "violating,undefined", "violating,unkeyed",
                ])
            #expect(try await completions(["report", "--fail-on"], "--fail-on", "unse") == ["unseen"])
            #expect(try await completions(["show", "--where"], "--where", "posi") == ["position="])
            #expect(
                try await completions(["definitions", "show"], "positional@0", "recipe_search/sel") == [
                    "recipe_search/select_result"
                ])
            // Without a daemon there are none, and no error.
            let nobody = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossctl").path,
                ["---completion", "show", "--", "--event", "4", "0", "glossctl", "--socket", "/nowhere", "--event", ""])
            #expect(nobody.status == 0 && nobody.text.allSatisfy(\.isWhitespace) && nobody.errors.isEmpty)
        }
    }
}
