import Foundation
import Model
import Settings
import Testing

@Suite struct SettingsTests {
    private func settings(_ yaml: String, environment: [String: String] = [:]) throws(SettingsError) -> Settings {
        try Settings(yaml: yaml, file: "/etc/gloss/gloss.yaml", environment: environment)
    }

    private func problem(_ yaml: String) -> String {
        do throws(SettingsError) {
            _ = try settings(yaml)
            return "no problem"
        } catch {
            return error.description
        }
    }

    @Test func `the sample settings load, and are the defaults`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sample = try String(contentsOf: root.appending(path: "config/gloss.yaml"), encoding: .utf8)
        var settings = try settings(sample)
        #expect(settings.dictionaries.map(\.path) == ["/etc/gloss/definitions"])
        #expect(settings.sources.map(\.text) == ["subsystem: com.example.*, category: *"])
        settings.dictionaries = []
        let defaults = try self.settings("sources: [{subsystem: 'com.example.*', category: '*'}]")
        #expect(settings == defaults)
    }

    @Test func `the sample's commented sink loads, and is the default sink`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sample = try String(contentsOf: root.appending(path: "config/gloss.yaml"), encoding: .utf8)
        let lines = sample.split(separator: "\n").drop { $0 != "sinks: []" }.dropFirst().prefix { $0.hasPrefix("#  ") }
        let sink = try #require(
            try settings("sinks:\n" + lines.map { $0.dropFirst() }.joined(separator: "\n")).sinks.first)
        var expected = SinkOptions(name: "upstream", url: "https://logs.example.com/ingest")
        expected.tokenFile = "/run/credentials/glossd.service/upstream-token"
        #expect(sink == expected)
    }

    @Test func `the sample's commented alert loads, with its notifiers`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sample = try String(contentsOf: root.appending(path: "config/gloss.yaml"), encoding: .utf8)
        let lines = sample.split(separator: "\n").drop { $0 != "notifiers: []" }.prefix { !$0.hasPrefix("# W") }
        let text = lines.map { line in
            line.hasPrefix("#") ? String(line.dropFirst()) : line.replacing(" []", with: "")
        }.joined(separator: "\n")
        let settings = try settings(text)
        #expect(settings.notifiers.map(\.name) == ["chat", "page", "log"])
        #expect(
            settings.alerts == [
                AlertRule(
                    name: "checkout-errors", predicate: "level >= error and subsystem == \"com.example.shop\"",
                    condition: .count(10, within: .seconds(300)), notify: ["chat"])
            ])
    }

    @Test func `predicates have names`() throws {
        let found = try settings("predicates:\n  slow: payload.took > 1000\n  bad: level >= err or @slow\n").predicates
        #expect(found == ["slow": "payload.took > 1000", "bad": "level >= err or @slow"])
    }

    @Test(arguments: [
        ("predicates: {a b: x = 1}", "names (at most 64 letters"),
        ("predicates: {a: level}", "predicates.a: expected an operator"),
        ("predicates: {a: '@b'}", "there is no @b"), ("predicates: {a: '@b', b: 'x = 1 or @a'}", "refers to itself"),
        ("predicates: {a: [x]}", "names (at most 64 letters"), ("predicates: [a]", "predicates"),
    ])
    func `a predicate that is none is a problem`(yaml: String, message: String) throws {
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `each predicate that names itself or becomes too long is a problem, in the order of the file`() {
        let long = "x = '\(String(repeating: "x", count: 9000))'"
        let yaml = """
            predicates:
              long: "\(long)"
              d: x = 1
              c: x = 2 or @b
              b: "@c"
              a: "@long or @long"
              e: "@e"
            """
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.problems.map(\.line) == [4, 5, 6, 7])
        let reasons = [
            "predicates.c: @b is more than 10 names deep, or refers to itself\n",
            "predicates.b: @c is more than 10 names deep, or refers to itself\n",
            "predicates.a: with @long, the predicate is longer than ",
            "predicates.e: @e is more than 10 names deep, or refers to itself\n",
        ]
        for (problem, reason) in zip(error?.problems ?? [], reasons) {
            #expect(problem.message.hasPrefix(reason), "\(problem)")
        }
    }

    @Test(arguments: [
        ("level >= err and @slow", nil), ("level >=", "expected a value"), ("@fast", "there is no @fast"),
    ])
    func `a sink has a predicate`(predicate: String, message: String?) throws {
        let yaml = """
            predicates: {slow: payload.took > 1000}
            sinks: [{name: errors, type: http, url: "https://x/", predicate: "\(predicate)"}]
            """
        guard let message else {
            return #expect(try settings(yaml).sinks.map(\.predicate) == ["level >= err and (payload.took > 1000)"])
        }
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.problems.first?.line == 2)
        let text = error?.description ?? ""
        #expect(text.contains("predicate must be a predicate: \(message)"), "\(text)")
    }

    @Test func `an empty file means the defaults`() throws {
        let settings = try settings("")
        #expect(settings.journal == JournalOptions(location: .machine, start: .oldest, maximumFieldBytes: 1 << 20))
        #expect(settings.store.path == "/var/lib/gloss/events.sqlite")
        #expect(settings.sources.map(\.text) == ["subsystem: *"])
        #expect(settings.sinks.isEmpty)
    }

    @Test func `the size of the store changes nothing else`() throws {
        let settings = try (settings("store: {max_size: 64MiB}"), settings(""))
        #expect(settings.0.store != settings.1.store)
        #expect(settings.0.journal == settings.1.journal)
    }

    @Test func `a source by match gets a name and a payload field`() throws {
        let rule = try #require(
            try settings(
                """
                sources:
                  - match: [_SYSTEMD_UNIT=nginx.service, PRIORITY=3]
                    as: {subsystem: org.nginx, category: access}
                    payload: JSON
                """
            ).sources.first)
        #expect(rule.conditions.map(\.field) == ["_SYSTEMD_UNIT", "PRIORITY"])
        #expect(rule.name == SourceRule.Name(subsystem: "org.nginx", category: "access"))
        #expect(rule.payloadFields == ["JSON"])
    }

    @Test func `sources with different conditions have different texts`() throws {
        let sources = try settings(
            """
            sources:
              - match: [A=b, C=d]
                as: {subsystem: x}
              - match: ["A=b, C=d"]
                as: {subsystem: x}
              - match: ['A="b, C=d"']
                as: {subsystem: x}
              - {subsystem: a, category: b}
              - subsystem: "a, category: b"
              - subsystem: "a,b"
            """
        ).sources
        #expect(
            sources.map(\.text) == [
                "A=b, C=d", "A=\"b, C=d\"", #"A="\"b, C=d\"""#, "subsystem: a, category: b",
                "subsystem: \"a, category: b\"", "subsystem: a,b",
            ])
    }

    @Test func `a key is in members at any path, in journal fields, or in one member`() throws {
        func layout(_ text: String) throws -> PayloadLayout {
            try #require(try settings("dictionaries: [{name: x, path: y, \(text)}]").dictionaries.first).layout
        }
        #expect(try layout("category: '*'") == .usual)
        #expect(
            try layout("key: [context.category, journal.EVENT_NAME], parameters_at: data.order")
                == PayloadLayout(
                    category: .member(MemberPath("context.category")),
                    name: .journalField(ExactString("EVENT_NAME")), parametersAt: MemberPath("data.order")))
        #expect(
            try layout("key: [event]") == PayloadLayout(category: .definingFile, name: .member(MemberPath("event"))))
    }

    @Test func `a source says where its events have their key, and dictionaries that may cover them know it`() throws {
        let settings = try settings(
            """
            sources:
              - match: [_COMM=nginx]
                as: {subsystem: org.nginx, category: access, event: access/request}
              - subsystem: com.example.shop
                as: {event: "checkout/*"}
                key: [journal.EVENT_NAME]
                parameters_at: properties
              - subsystem: com.example.*
            dictionaries:
              - {name: nginx, path: a, subsystem: org.nginx}
              - {name: shop, path: b, subsystem: com.example.*, key: [journal.CATEGORY_NAME, name]}
            """)
        let request = PayloadLayout(
            category: .fixed(ExactString("access")), name: .fixed(ExactString("request")))
        let checkout = PayloadLayout(
            category: .fixed(ExactString("checkout")), name: .journalField(ExactString("EVENT_NAME")),
            parametersAt: MemberPath("properties"))
        #expect(settings.dictionaries[0].layoutOfSource == ["_COMM=nginx": request])
        #expect(settings.dictionaries[1].layoutOfSource.mapValues(\.self) == ["subsystem: com.example.shop": checkout])
        #expect(
            settings.dictionaries[1].layout(ofSource: "subsystem: com.example.*") == settings.dictionaries[1].layout)
        #expect(settings.sources[1].name == nil, "it has the subsystem of its entries")
        #expect(settings.sources.map { $0.keyFields.map(\.text) } == [[], ["EVENT_NAME"], ["CATEGORY_NAME"]])
    }

    @Test(arguments: [
        ("subsystem: org.other", false), ("subsystem: org.*", false), ("subsystem: com.example.*", true),
        ("subsystem: \"*.shop\"", true), ("subsystem: com.*, category: web*", false),
        ("subsystem: com.*, category: \"*api\"", true), ("subsystem: com.*, match: [CATEGORY=api, CATEGORY=web]", true),
        ("subsystem: org.*, match: [SUBSYSTEM=com.*]", true), ("subsystem: com.*, match: [_COMM=org]", true),
        ("match: [_COMM=x], as: {subsystem: com.shop, category: api}", true),
        ("match: [SUBSYSTEM=com.shop], as: {subsystem: org, category: api}", false),
    ])
    func `a dictionary takes the layouts of sources whose events it may cover`(source: String, mayCover: Bool) throws {
        let settings = try settings(
            """
            sources: [{\(source), key: [journal.EVENT_NAME]}]
            dictionaries: [{name: shop, path: a, subsystem: com.*shop, category: a*}]
            """)
        #expect(settings.dictionaries[0].layoutOfSource.isEmpty != mayCover)
    }

    @Test(arguments: [
        ("parameters_at: event_name", "{name: x, path: y, key: [kind]}"),
        ("key: [b]", "{name: x, path: y, subsystem: c}, {name: z, path: y}, {name: a, path: y, parameters_at: b.c}"),
        ("key: [b]", "{name: x, path: y, subsystem: a*}, {name: a, path: y, parameters_at: b.c}"),
        ("key: [b]", "{name: x, path: y, subsystem: c, parameters_at: b.c}"),
    ])
    func `a source contradicts no dictionary that has none of its events`(layout: String, dictionaries: String) {
        let found = problem("{sources: [{subsystem: a, \(layout)}], dictionaries: [\(dictionaries)]}")
        #expect(found == "no problem")
    }

    @Test func `a source says how its payloads are written, and where the program's level and time are`() throws {
        let settings = try settings(
            """
            sources:
              - match: [_COMM=app]
                as: {subsystem: app}
                format: logfmt
                level: payload.level
                time: payload.log.ts
            dictionaries: [{name: x, path: y, parameters_at: properties}]
            """)
        let layout = settings.dictionaries[0].layout(ofSource: "_COMM=app")
        #expect(layout.format == .logfmt && layout.level == MemberPath("level") && layout.time == MemberPath("log.ts"))
        #expect(layout.parametersAt == nil, "pairs have no objects in them")
        #expect(settings.dictionaries[0].layout.format == .json)
        #expect(settings.dictionaries[0].layoutText.contains("format logfmt\nlevel level\ntime log.ts"))
    }

    @Test(arguments: [("20%", 20), ("20 %", 20), ("1%", 1), ("100%", 100)])
    func `a source says how long its events are kept, and how many`(text: String, share: Int) throws {
        let sources = try settings("sources: [{subsystem: a, keep: 7d, share: \(text)}, {subsystem: b}]").sources
        #expect(sources[0].retention == SourceRetention(maximumAge: .seconds(7 * 86_400), share: share))
        #expect(sources[0].text == "subsystem: a", "what it says of that is no part of its name")
        #expect(sources[1].retention.isUsual)
        let small = try settings("{sources: [{subsystem: a, share: 13%}], store: {max_size: 8MiB}}")
        #expect(small.sources[0].retention.share == 13)
    }

    @Test func `names are as long, and as many reserved, as the settings say`() throws {
        let dictionaries = try settings(
            "dictionaries: [{name: x, path: y, name_length: 100, reserved: []}, {name: z, path: y}]"
        ).dictionaries
        #expect(dictionaries.map(\.maximumNameLength) == [100, 64])
        #expect(dictionaries.map(\.reservedNames) == [[], ["event_name", "event_category", "log_id", "id"]])
    }

    @Test func `files that are no definitions are README md and those that the settings name`() throws {
        let dictionaries = try settings(
            """
            dictionaries: [{name: x, path: y}, {name: z, path: y, ignore: ['draft_*', notes.md]},
              {name: a, path: y, ignore: []}]
            """
        ).dictionaries
        let ignored = dictionaries.map { $0.ignore.map(\.pattern) }
        #expect(ignored == [["README.md"], ["README.md", "draft_*", "notes.md"], ["README.md"]])
    }

    @Test func `a dictionary's links keep their order`() throws {
        let settings = try settings(
            "dictionaries: [{name: x, path: y, links: {SQL: 'HTTPS://q/?c={category}', API: 'http://a/{path}'}}]")
        #expect(
            settings.dictionaries[0].links == [
                LinkTemplate(name: "SQL", template: "HTTPS://q/?c={category}"),
                LinkTemplate(name: "API", template: "http://a/{path}"),
            ])
    }

    @Test func `private values are protected unless the settings say otherwise`() throws {
        #expect(try settings("").privacy == .protect)
        #expect(try settings("privacy: reveal").privacy == .reveal)
    }

    @Test func `credentials come from the service manager's folder`() throws {
        let yaml = "sinks: [{name: up, type: http, url: 'HTTPS://x.example/', credential: token}]"
        let sink = try #require(try settings(yaml, environment: ["CREDENTIALS_DIRECTORY": "/run/c"]).sinks.first)
        #expect(sink.tokenFile == "/run/c/token")
    }

    @Test(arguments: ["'bad name': x", "'': x", "'a:b': x", #"X-Tenant: "a\r\nX-Evil: 1""#, #"X-Tenant: "a\u0001""#])
    func `what would break a request is no header`(header: String) throws {
        let error = #expect(throws: SettingsError.self) {
            try settings("sinks: [{name: x, type: http, url: 'http://y', headers: {\(header)}}]")
        }
        let message = "sinks[0].headers must be a block of HTTP header names and their one-line values"
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `a value of a header may have a tab`() throws {
        let sink = #"{name: x, type: http, url: 'http://y', headers: {X-Tenant: "a b\tc"}}"#
        #expect(try settings("sinks: [\(sink)]").sinks.map(\.headers) == [["X-Tenant": "a b\tc"]])
    }

    @Test func `numbers are texts in quotes, and where a text has nothing but digits anyway`() throws {
        #expect(try settings("store: {path: '/5'}").store.path == "/5")
        let sources = try settings("sources: [{subsystem: \"5\", category: 'no'}]").sources
        #expect(sources.map(\.text) == ["subsystem: 5, category: no"])
        for mode in ["0600", "'0600'"] { #expect(try settings("control: {mode: \(mode)}").control.mode == 0o600) }
        let sink = "{name: x, type: http, url: 'http://y', headers: {X-Shard: 5}}"
        #expect(try settings("sinks: [\(sink)]").sinks.map(\.headers) == [["X-Shard": "5"]])
        let types = try settings("dictionaries: [{name: x, path: y, types: {T: [1, 2]}}]").dictionaries.map(\.types)
        #expect(types == [["T": .values(["1", "2"])]])
    }

    @Test func `relative paths are relative to the settings file`() throws {
        #expect(try settings("store: {path: events.sqlite}").store.path == "/etc/gloss/events.sqlite")
        #expect(try settings("journal: {directory: j}").journal.location == .directory("/etc/gloss/j"))
    }

    @Test(arguments: [
        ("./sock", "/etc/gloss/sock"), ("a//b/./sock", "/etc/gloss/a/b/sock"), ("/run/.//sock", "/run/sock"),
        ("/run/a/../.sock", "/run/a/../.sock"), (".a/sock.", "/etc/gloss/.a/sock."), (".", "/etc/gloss"),
        ("./", "/etc/gloss"), ("/etc/gloss/", "/etc/gloss"), ("/.", "/"),
    ])
    func `a path that is only written otherwise is the same`(path: String, same: String) throws {
        #expect(try settings("control: {socket: \(path)}").control.socket == same)
    }

    @Test(arguments: [
        (
            "store: {path: 5}",
            "gloss.yaml:1:15: error: store.path must be text: numbers, and words such as true and no, are text only in quotes"
        ),
        ("store: {path: true}", "store.path must be text"), ("control: {socket: 1.5}", "control.socket must be text"),
        ("store: {path: [a]}", "store.path must be text"), ("dictionaries: [{name: x, path: 5}]", "path must be text"),
        ("sinks: [{name: on, type: http, url: 'http://y'}]", "sinks[0].name must be text"),
        ("sources: [{subsystem: 0x10}]", "sources[0].subsystem must be text"),
        ("sources: [{subsystem: x, payload: 5}]", "sources[0].payload must be a journal field's name"),
        ("dictionaries: [{name: x, path: y, key: [a, 5]}]", "dictionaries[0].key must be a list of the places"),
        ("dictionaries: [{name: x, path: y, reserved: [5]}]", "dictionaries[0].reserved must be a list of names"),
        ("stor: {}", "gloss.yaml:1:1: error: unknown key \"stor\" in the settings; did you mean \"store\"?"),
        ("store:\n  pth: x", "gloss.yaml:2:3: error: unknown key \"pth\" in store; did you mean \"path\"?"),
        (
            "sinks: [{name: a, type: http, url:https://h/?key=S3CRET}]",
            "unknown key \"url…\" in sinks[0]; write a space after \"url:\""
        ),
        ("store: {pth:x}", "unknown key \"pth…\" in store; did you mean \"path\"?"),
        (
            "sinks:\n- &a {name: x, type: http, url: 'http://y'}\n- {<<: *a, name: z}",
            "gloss.yaml:3:4: error: merge keys (<<) are not known in sinks[1]: write its keys, or an alias (*name)"
        ),
        ("store: {max size: 1}", "unknown key \"max…\" in store; "),
        (
            "store: {max_size: 5}",
            "store.max_size must be a size such as 64KiB, 1MiB or 2GiB (8MiB to 16TiB), not \"5\""
        ),
        ("store: {max_age: 30}", "store.max_age must be a duration such as"),
        ("store: {when_full: drop}", "store.when_full must be \"pause\" or \"drop_oldest\", not \"drop\""),
        ("control: {mode: \"0090\"}", "control.mode must be octal permission bits"),
        (
            "journal: {start: yesterday}",
            "journal.start must be now, oldest or a duration such as 24h, not \"yesterday\""
        ),
        ("journal: {directory: /x, namespace: y}", "only one journal is read"),
        ("journal: {directory: ''}", "journal.directory must be the path of a folder"),
        ("journal: {namespace: ''}", "journal.namespace must be a name as LogNamespace="),
        ("journal: {namespace: ../x}", "journal.namespace must be"),
        ("journal: {namespace: a b}", "journal.namespace must be"),
        ("journal: {namespace: ..}", "journal.namespace must be"),
        ("journal: {namespace: 'a*'}", "journal.namespace must be"),
        ("journal: {namespace: 'a\\x2d'}", "journal.namespace must be"),
        ("journal: {namespace: \u{E9}}", "journal.namespace"),
        (
            "{journal: {max_field_size: 16MiB}, store: {max_size: 64MiB}}",
            "journal.max_field_size must be smaller: at most an eighth of store.max_size, which is 8MiB, not \"16MiB\""
        ),
        ("sources: [{category: x}]", "needs \"as\""),
        (
            "sources: [{subsystem: x, share: 0%}]",
            "sources[0].share must be a part in hundredths such as 20% (1% to 100%), not \"0%\""
        ),
        ("sources: [{subsystem: x, share: 20}]", "sources[0].share must be"),
        (
            "{sources: [{subsystem: x, share: 12%}], store: {max_size: 8MiB}}",
            "sources[0].share must be larger: at least 13% of this store.max_size, so that two blocks have room"
        ),
        ("{sources: [{subsystem: x, share: 1%}], store: {max_size: 100MiB}}", "at least 2% of this store.max_size"),
        ("sources: [{subsystem: x, share: \"%\"}]", "sources[0].share must be"),
        ("sources: [{subsystem: x, keep: 5s}]", "sources[0].keep must be a duration"),
        ("sources: [{}]", "sources[0] needs \"subsystem\" or \"match\""),
        ("sources: [{match: [nginx], as: {subsystem: x}}]", "sources[0].match must be a list of FIELD=value"),
        (
            "sources: [{match: [A=b, __CURSOR=1], as: {subsystem: x}}]",
            "sources[0].match must be without __CURSOR: names with __ are"
        ),
        ("sources: 5", "error: sources must be a list, not \"5\""),
        (
            "sources:\n- {match: [A=b], as: {subsystem: x}}\n- {match: [A=b], as: {subsystem: y}, parameters_at: data}",
            "gloss.yaml:3:3: error: sources[1] takes nothing: sources[0] has the same conditions; remove one of the two"
        ),
        ("dictionaries: [{name: x}]", "dictionaries[0] lacks \"path\""),
        ("dictionaries: [{name: x, path: y, key: [a, b, c]}]", "dictionaries[0].key must be a list of the places"),
        ("dictionaries: [{name: x, path: y, key: [a..b]}]", "dictionaries[0].key must be a list of the places"),
        ("dictionaries: [{name: x, path: y, key: [journal.name]}]", "dictionaries[0].key must be a list of the places"),
        ("dictionaries: [{name: x, path: y, key: [a, a.b]}]", "key must be without a: key or"),
        ("sources: [{subsystem: a, format: xml}]", "sources[0].format must be"),
        ("sources: [{subsystem: a, format: logfmt, parameters_at: b}]", "sources[0].parameters_at must be left out"),
        (
            "sources: [{subsystem: a, level: level}]",
            "sources[0].level must be a member of the payload, such as payload.level"
        ),
        ("sources: [{subsystem: a, time: payload.}]", "sources[0].time must be a member of the payload"),
        ("dictionaries: [{name: x, path: y, key: [a], parameters_at: a}]", "key must be without a: key or"),
        ("dictionaries: [{name: x, path: y, key: [a], parameters_at: a.b}]", "key must be without a: key or"),
        (
            "sources: [{subsystem: a, key: [event], parameters_at: event.data}]",
            "sources[0].key must be without event: key or parameters_at has it as an object as well"
        ),
        ("sources: [{subsystem: a, key: [b, b.c]}]", "sources[0].key must be without b: key or parameters_at has it"),
        (
            "sources: [{subsystem: a, parameters_at: event_name}]",
            "sources[0].parameters_at must be outside event_name, which is a part of the key, not \"event_name\""
        ),
        (
            "{sources: [{subsystem: a, key: [b]}], dictionaries: [{name: x, path: y, parameters_at: b.c}]}",
            "sources[0].key must be without b: key or parameters_at, here or in dictionary x, has it as an object"
        ),
        (
            "{sources: [{subsystem: a, parameters_at: b.c}], dictionaries: [{name: x, path: y, key: [b]}]}",
            "sources[0].parameters_at must be outside b, which is a part of the key"
        ),
        ("dictionaries: [{name: x, path: y, parameters_at: a.}]", "dictionaries[0].parameters_at must be the member"),
        ("sources: [{subsystem: x, payload: []}]", "sources[0].payload must be a journal field's name"),
        ("sources: [{subsystem: x, payload: [A, b]}]", "sources[0].payload must be a journal field's name"),
        ("sources: [{subsystem: x, payload: [A, A]}]", "sources[0].payload must be a journal field's name"),
        ("sources: [{subsystem: x, key: []}]", "sources[0].key must be a list of the places"),
        ("sources: [{subsystem: x, as: {event: access}}]", "sources[0].as.event must be CATEGORY/NAME"),
        ("sources: [{subsystem: x, as: {event: '*/b'}}]", "sources[0].as.event must be CATEGORY/NAME"),
        ("sources: [{subsystem: x, as: {category: c, event: a/b}}]", "sources[0].as lacks \"subsystem\""),
        ("sources: [{subsystem: x, key: [a], as: {event: a/b}}]", "sources[0].key must be left out"),
        ("sources: [{match: [A=b], as: {event: a/b}}]", "sources[0].as lacks \"subsystem\""),
        ("dictionaries: [{name: x, path: y, key: [a, a]}]", "dictionaries[0].key must be a list of the places"),
        ("dictionaries: [{name: x, path: y, name_length: 0}]", "dictionaries[0].name_length must be"),
        ("dictionaries: [{name: x, path: y, reserved: [{a: b}]}]", "dictionaries[0].reserved must be a list of names"),
        ("dictionaries: [{name: x, path: y, ignore: [[a]]}]", "dictionaries[0].ignore must be a list of names of"),
        ("dictionaries: [{name: x, path: y, types: {T: int}}]", "dictionaries[0].types.T must be a built-in type"),
        ("dictionaries: [{name: x, path: y, types: {T: [a, a]}}]", "dictionaries[0].types.T lists a value twice"),
        ("dictionaries: [{name: x, path: y, types: {T: []}}]", "dictionaries[0].types.T must list texts, at least one"),
        ("dictionaries: [{name: x, path: y, types: {T: [a, {b: c}]}}]", "types.T must list texts, at least one"),
        ("dictionaries: [{name: x, path: y, links: {Code: git}}]", "dictionaries[0].links.Code must be an address"),
        (
            "dictionaries: [{name: x, path: y, links: {Code: 'https://x/{name}'}}]",
            "dictionaries[0].links.Code has the unknown placeholder {name}: there are {category}, {event}, {path}"
        ),
        (
            "dictionaries: [{name: x, path: y, links: {Code: 'https://x/{event'}}]",
            "dictionaries[0].links.Code has an unmatched brace"
        ),
        (
            "dictionaries:\n- {name: x, path: y, links: {\n  Code: 'https://h{path}'}}",
            "gloss.yaml:3:9: error: dictionaries[0].links.Code has a placeholder in the host of the address, h{path}: "
                + "placeholders are allowed in"
        ),
        (
            "dictionaries: [{name: x, path: y, links: {Code: 'https://{event}.example.com/'}}]",
            "dictionaries[0].links.Code has a placeholder in the host of the address, {event}.example.com: "
        ),
        (
            "dictionaries: [{name: x, path: y, links: {Code: 'https://?q={event}'}}]",
            "dictionaries[0].links.Code must be an address"
        ),
        ("privacy: off", "privacy must be"),
        ("sinks: [{name: x, type: ftp, url: 'http://y'}]", "sinks[0].type must be \"http\", not \"ftp\""),
        ("sinks: [{name: x, type: http, url: y}]", "sinks[0].url must be an address"),
        (
            "sinks: [{name: x, type: http, url: 'http://y', headers: {Authorization: z}}]",
            "secrets are not in the settings"
        ),
        (
            "sinks: [{name: x, type: http, url: 'http://y'}, {name: x, type: http, url: 'http://y'}]",
            "sinks[1].name must be a name that no other of the sinks has"
        ),
        ("store: {path: a, path: b}", "error: written more than once: \"path\""),
        // Yams compares keys so. The rest of Gloss does not: see decision 11.
        (
            "dictionaries: [{name: x, path: y, types: {\"\u{E9}\": bigint, \"e\u{301}\": string}}]",
            "error: written more than once: \"\u{E9}\""
        ),
        ("store: [", "gloss.yaml:2:1: error: not YAML:"),
        ("- a", "the settings must be a block of keys"),
    ])
    func `a mistake is named with its place and how to fix it`(yaml: String, message: String) {
        #expect(problem(yaml).contains(message), "\(problem(yaml))")
    }

    @Test(arguments: ["shop", "a.b-c_D:9@x", "...", String(repeating: "n", count: 79)])
    func `a namespace has any name that journald permits`(name: String) throws {
        #expect(try settings("journal: {namespace: \"\(name)\"}").journal.location == .namespace(name))
        let long = String(repeating: "n", count: 80)
        #expect(problem("journal: {namespace: \(long)}").contains("journal.namespace must be"))
    }

    @Test func `a source that is written twice is left out the second time`() throws {
        let source = "{match: [A=b], as: {subsystem: x}, format: logfmt, keep: 1h}"
        let found = try settings("sources: [\(source), {subsystem: y}, \(source)]")
        #expect(found.sources.map(\.text) == ["A=b", "subsystem: y"])
        #expect(found.doubts == ["sources[2] is left out: sources[0] is the same"])
        for other in ["keep: 1h", "format: logfmt", "share: 10%", "key: [a]", "payload: A"] {
            #expect(
                problem("sources: [{subsystem: y}, {subsystem: y, \(other)}]").contains(
                    "sources[1] takes nothing: sources[0] has the same conditions"), "\(other)")
        }
    }

    @Test func `retries wait for backoff.base at least, also where it is longer than the usual cap`() throws {
        func sink(_ backoff: String) -> String {
            "sinks: [{name: x, type: http, url: 'http://y', backoff: \(backoff)}]"
        }
        for (backoff, cap) in [("{}", 30), ("{base: 5m}", 300), ("{base: 5s}", 30), ("{base: 5s, cap: 5s}", 5)] {
            #expect(try settings(sink(backoff)).sinks.map(\.backoffCap) == [.seconds(cap)])
        }
        let text = problem(sink("{base: 1h, cap: 1ms}"))
        #expect(text.hasSuffix("sinks[0].backoff.cap must be at least as long as base, which is 1h, not \"1ms\""))
        #expect(problem(sink("{base: 1s, cap: 500ms}")).contains("at least as long as base, which is 1s"))
        let short = try settings(sink("{cap: 500ms}")).sinks
        #expect(short.map(\.backoffBase) == [.milliseconds(500)] && short.map(\.backoffCap) == [.milliseconds(500)])
    }

    @Test func `a batch that a small store could not freeze is refused`() {
        let text = problem(
            """
            store: {max_size: 8MiB}
            sinks: [{name: x, type: http, url: 'http://y', batch: {max_bytes: 1MiB}}]
            """)
        #expect(text.contains("sinks[0].batch must be smaller: max_bytes may be at most a 32nd of store.max_size"))
    }

    @Test func `all mistakes are reported at once`() {
        let lines = problem("stor: {}\ncontrol:\n  max_tails: none\n").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.contains(":3:14:") == true)
    }

    @Test func `a secret's value is not repeated in a message`() {
        let text = problem("sinks: [{name: x, type: http, url: 'http://y', headers: {Authorization: hunter2}}]")
        #expect(!text.contains("hunter2"))
    }
}
