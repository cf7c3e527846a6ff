import Foundation
import TestSupport
import Testing

/// The recipes of docs/writing.md, taken out of it and run as they are printed.
@Suite(.timeLimit(.minutes(5)))
struct WritingTests {
    private static let shell = ["Shell: logger", "Shell: systemd-cat", "Shell: glossctl emit"]
    private static let python = ["Python: systemd.journal", "Python: logging"]
    private static let nginx = "nginx"
    private static let container = "A container's standard output"
    private static let units = ["A service's standard output", "Journal namespaces"]

    private let guide: WritingGuide
    private let example: WritingGuide.Section

    init() throws {
        guide = try WritingGuide()
        example = try guide.section("The example")
    }

    @Test func `every recipe of the page has a test`() {
        let shown = guide.sections.filter { !$0.value.shown.isEmpty }.keys
        #expect(Set(shown) == Set(Self.shell + Self.python + [Self.nginx, Self.container] + Self.units))
    }

    @Test(.enabled(if: Requirement.recipes == nil, "\(Requirement.recipes ?? "")"), arguments: shell)
    func `a recipe for the shell sends what the page shows`(heading: String) async throws {
        try await runRecipe(heading)
    }

    @Test(.enabled(if: Requirement.pythonRecipes == nil, "\(Requirement.pythonRecipes ?? "")"), arguments: python)
    func `a recipe for Python sends what the page shows`(heading: String) async throws {
        try await runRecipe(heading)
    }

    @Test(.enabled(if: Requirement.nginxRecipe == nil, "\(Requirement.nginxRecipe ?? "")"))
    func `nginx sends what the page shows`() async throws {
        try await runRecipe(
            Self.nginx,
            before: """
                cat >nginx.conf <<'END OF FILE'
                error_log stderr;
                pid /run/nginx.pid;
                events {}
                http {
                    include /etc/nginx/conf.d/gloss.conf;
                    server {
                        listen 127.0.0.1:80;
                        location / { return 200 "hi\\n"; }
                    }
                }
                END OF FILE
                mkdir -p /var/lib/nginx
                ip link set lo up
                nginx -c "$PWD/nginx.conf"

                """, after: "nginx -c \"$PWD/nginx.conf\" -s quit\n")
    }

    @Test(.enabled(if: Requirement.containerRecipe == nil, "\(Requirement.containerRecipe ?? "")"))
    func `a container sends what the page shows`() async throws {
        try await runRecipe(Self.container, before: Self.podman)
    }

    /// What a machine with Podman has: an image, here one that has only `echo`. Podman is set to need less than usual, so that
    /// it runs where tests do.
    private static let podman = """
        cat >containers.conf <<'END OF FILE'
        [containers]
        default_ulimits = ["nofile=512:512", "nproc=512:512"]
        cgroups = "disabled"
        netns = "none"
        [engine]
        cgroup_manager = "cgroupfs"
        events_logger = "none"
        END OF FILE
        cat >storage.conf <<'END OF FILE'
        [storage]
        driver = "vfs"
        graphroot = "/var/lib/containers/storage"
        runroot = "/run/containers/storage"
        END OF FILE
        export CONTAINERS_CONF="$PWD/containers.conf" CONTAINERS_STORAGE_CONF="$PWD/storage.conf"
        mount -t cgroup2 cgroup2 /sys/fs/cgroup
        tar -cPh /bin/echo $(ldd /bin/echo | grep -o '/[^ ]*') | podman import --quiet - docker.io/library/busybox

        """

    /// Under a real systemd: a unit, then the same unit in a journal namespace, with a second daemon for it.
    @Test(.enabled(if: Requirement.container == nil, "\(Requirement.container ?? "")"))
    func `units send what the page shows, also in a journal namespace`() async throws {
        let (unit, namespaced) = (try guide.section(Self.units[0]), try guide.section(Self.units[1]))
        let limits = try guide.section("Rate limits")
        try await GlossInstance.with { instance in
            for definition in example.definitions {
                try instance.write(definition.text, to: "etc/definitions/\(try #require(definition.file))")
            }
            try instance.write(example.settings + unit.settings, to: "etc/gloss.yaml")
            try instance.write(
                """
                shows() { # file, glossctl show...: waits until there is an event
                    for ((i = 0; i < 200; i++)); do "${@:2}" >"/results/$1" 2>&1 && break; sleep 0.1; done
                }
                \(unit.writingFiles + unit.commands)
                shows machine glossctl show
                \(limits.writingFiles + namespaced.writingFiles)
                cp -r /etc/gloss/definitions /etc/gloss-shop
                cat /etc/gloss/gloss.yaml >>/etc/gloss-shop/gloss.yaml
                \(namespaced.commands)
                shows namespace \(namespaced.showing)
                glossctl show >/results/machine-later
                systemctl show -p LogRateLimitIntervalUSec -p LogRateLimitBurst shop.service >/results/limits
                journalctl --no-pager -u 'glossd*' >/results/journal
                systemctl poweroff

                """, to: "etc/recipe.sh")
            let output = try await instance.boot(running: "/etc/gloss/recipe.sh")
            let log = "\(output.suffix(4000))\n\(instance.text(of: "results/journal"))"
            func shown(_ name: String) -> [String] {
                instance.lines(of: "results/\(name)").map { WritingGuide.stable($0) }
            }
            #expect(shown("machine") == unit.shown, "\(log)")
            #expect(shown("namespace") == namespaced.shown, "\(log)")
            #expect(shown("machine-later") == unit.shown, "what is in a namespace is in no other journal")
            for line in instance.lines(of: "results/limits") {
                let value = try #require(line.split(separator: "=").last)
                #expect(limits.blocks[0].text.contains("=\(value)\n"), "\(line)")
            }
            #expect(instance.lines(of: "results/limits").count == 2)
        }
    }

    // MARK: where it bites

    /// 60,000 bytes, most of them spaces.
    private static let longEvent =
        #"{"event_category":"checkout","event_name":"paid","order_id":42,"#
        + String(repeating: " ", count: 60_000) + #""total":9.5}"#

    @Test(.enabled(if: Requirement.recipes == nil, "\(Requirement.recipes ?? "")"))
    func `a long line is cut, one in fields is not, and LineMax= as on the page keeps both`() async throws {
        let ini = try #require(try guide.section("Long lines").blocks.first { $0.language == "ini" })
        let raised = ini.text.split(separator: "\n").filter { $0.hasPrefix("LineMax=") }.map(String.init)
        try #require(raised.count == 1)
        let settings = """
            sources:
              - subsystem: com.example.shop
              - match: [SYSLOG_IDENTIFIER=shop]
                as: {subsystem: com.example.shop, category: ActivityLog}

            """
        let commands = """
            systemd-cat -t shop cat event.json
            printf 'SUBSYSTEM=com.example.shop\\nCATEGORY=ActivityLog\\nMESSAGE=%s\\n' "$(cat event.json)" | logger --journald

            """
        for (journal, expected) in [
            ([], ["malformed cut", "plain cut", "resolved"]), (raised, ["resolved", "resolved"]),
        ] {
            try await withDaemon(settings, journal: journal) { journald, instance in
                try instance.write(Self.longEvent + "\n", to: "recipe/event.json")
                try await instance.run(commands, on: journald)
                try await eventually("all are stored") { try await instance.events().count == expected.count }
                #expect(try await instance.events().map(summary) == expected)
            }
        }
    }

    @Test(.enabled(if: Requirement.containerRecipe == nil, "\(Requirement.containerRecipe ?? "")"))
    func `a container's line of more than 8 KiB is split, and its first part says so`() async throws {
        let recipe = try guide.section(Self.container)
        try await withDaemon(recipe.settings) { journald, instance in
            let commands = """
                podman run --rm --name=shop --log-driver=journald docker.io/library/busybox echo "$(head -c 9000 event.json)"

                """
            try instance.write(Self.longEvent, to: "recipe/event.json")
            try await instance.run(Self.podman + commands, on: journald)
            try await eventually("both parts are stored") { try await instance.events().count >= 2 }
            #expect(try await instance.events().map(summary) == ["malformed cut", "plain"])
        }
    }

    @Test(.enabled(if: Requirement.recipes == nil, "\(Requirement.recipes ?? "")"))
    func `journald drops fields with other names`() async throws {
        let kept = ["A", "A_1", String(repeating: "A", count: 64)]
        let dropped = ["lower", "1A", "_A", "A-B", "Ä", String(repeating: "A", count: 65)]
        try await withDaemon("") { journald, instance in
            let fields = ["SUBSYSTEM=s", "MESSAGE=m"] + (kept + dropped).map { "\($0)=1" }
            try journald.send(datagram: Array(fields.map { "\($0)\n" }.joined().utf8))
            try await eventually("it is stored") { try await instance.events().count == 1 }
            let text = try await instance.glossctl("event", "1", "-o", "json").text
            let names = text.matches(of: /"name":"([^"]+)","value":"1"/).map { String($0.1) }
            #expect(Set(names) == Set(kept))
        }
    }

    // MARK: running

    /// Runs the recipe's commands where its files are, and expects the events that it shows.
    private func runRecipe(_ heading: String, before: String = "", after: String = "") async throws {
        let recipe = try guide.section(heading)
        try #require(recipe.shown.contains { $0.contains(" resolved ") })
        try await withDaemon(recipe.settings, definitions: recipe.definitions) { journald, instance in
            try await instance.run(recipe.writingFiles + before + recipe.commands + after, on: journald)
            var shown: [String] = []
            try? await eventually("it is stored", within: .seconds(20)) {
                shown = try await instance.glossctl("show").lines.map { WritingGuide.stable($0) }
                return shown.count >= recipe.shown.count
            }
            #expect(shown == recipe.shown, "\(instance.text(of: "glossd.log"))")
        }
    }

    /// Runs a daemon on a journald of its own, with the page's definitions and settings, and more of both.
    private func withDaemon(
        _ settings: String, definitions: [WritingGuide.Block] = [], journal: [String] = [],
        _ body: (PrivateJournald, GlossInstance) async throws -> Void
    ) async throws {
        try await PrivateJournald.withOne(settings: journal) { journald in
            try await GlossInstance.with { instance in
                for definition in example.definitions + definitions {
                    try instance.write(definition.text, to: "definitions/\(try #require(definition.file))")
                }
                let place = """
                    journal: {namespace: \(journald.namespace)}
                    store: {path: events.sqlite}
                    control: {socket: control.sock}

                    """
                try instance.write(place + example.settings + settings, to: "gloss.yaml")
                try await instance.startDaemonAndWait()
                try await body(journald, instance)
            }
        }
    }

    /// The resolution, and the rules of warnings.
    private func summary(_ event: [String: Any]) -> String {
        let warnings = (event["warnings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
        return ([event["resolution"] as? String ?? ""] + warnings).joined(separator: " ")
    }
}

extension GlossInstance {
    /// Runs commands in the folder `recipe`, on a machine whose journald is the given one: what they write to /etc, /run and
    /// the like is gone afterwards, and what they started has ended.
    fileprivate func run(_ commands: String, on journald: PrivateJournald) async throws {
        let path = "export PATH=/usr/sbin:/usr/bin:/sbin:/bin:\(Self.programs.path)\n"
        try write(path + commands, to: "recipe/commands.sh")
        let script = Self.root.appending(path: "Tests/IntegrationTests/Fixtures/recipe.sh").path
        let output = try await Self.run(
            "/usr/bin/timeout",
            [
                "--signal=KILL", "60", "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
                "/bin/bash", script, journald.namespace, folder.path,
            ])
        try #require(output.status == 0, "\(output.text)\(output.errors)")
    }
}
