import Model
import Testing

@testable import Settings

struct AlertSettingsTests {
    private func settings(_ yaml: String) throws -> Settings {
        try Settings(yaml: yaml, file: "/etc/gloss/gloss.yaml", environment: ["CREDENTIALS_DIRECTORY": "/run/c"])
    }

    @Test func `rules and notifiers are read`() throws {
        let settings = try settings(
            """
            predicates: {bad: level >= error}
            notifiers:
              - name: chat
                type: webhook
                url_credential: chat-url
                template: '{"text": "{{text}}"}'
                backoff: {base: 2s, cap: 1m}
              - {name: page, type: command, command: [/usr/local/bin/page, --now], timeout: 5s}
              - {name: log, type: journal}
            alerts:
              - {name: a, predicate: "@bad", when: {count: 10, within: 5m}, by: [event], show: [message, user], for: 2m, every: 1h, notify: [chat, log]}
              - {name: b, predicate: level >= error, when: {growth: 2.5, count: 20, within: 10m}}
              - {name: c, predicate: level >= error, when: {distinct: user, count: 5, within: 10m}}
              - {name: d, predicate: level >= error, when: {absent: 15m}}
              - {name: e, predicate: resolution == violating, when: first, by: [event, violation.rule]}
            """)
        #expect(
            settings.alerts.map(\.condition) == [
                .count(10, within: .seconds(300)), .growth(2.5, count: 20, within: .seconds(600)),
                .distinct("user", count: 5, within: .seconds(600)), .absent(.seconds(900)), .first,
            ])
        let rule = settings.alerts[0]
        #expect(rule.predicate == "(level >= error)" && rule.by == ["event"] && rule.notify == ["chat", "log"])
        #expect(rule.show == ["message", "user"])
        #expect(rule.holdTime == .seconds(120) && rule.every == .seconds(3600))
        #expect(settings.alerts[2].keys == ["user"] && settings.alerts[4].keys == ["event", "violation.rule"])
        guard case .webhook(let options, "/run/c/chat-url") = settings.notifiers[0].kind else {
            Issue.record("\(settings.notifiers[0])")
            return
        }
        #expect(options.backoffBase == .seconds(2) && options.compression == .none)
        #expect(
            settings.notifiers[1].kind == .command(["/usr/local/bin/page", "--now"], timeout: .seconds(5)))
        #expect(settings.notifiers[2].kind == .journal)
    }

    @Test(arguments: [
        ("alerts: [{name: a, predicate: x == 1}]", "alerts[0].when must be {count: 10, within: 5m}"),
        ("alerts: [{name: a, predicate: x == 1, when: {count: 10}}]", "alerts[0].when must be"),
        ("alerts: [{name: a, predicate: x == 1, when: {within: 5m}}]", "alerts[0].when must be"),
        (
            "alerts: [{name: a, predicate: x == 1, when: {growth: 1, within: 5m}}]",
            "growth must be a number larger than 1"
        ),
        ("alerts: [{name: a, predicate: x == 1, when: {absent: 5m, count: 3}}]", "count must be left out with absent"),
        (
            "alerts: [{name: a, predicate: x == 1, when: {distinct: user, growth: 2, count: 5, within: 5m}}]",
            "alerts[0].when.distinct must be left out with growth"
        ),
        ("alerts: [{name: a, predicate: x =, when: first}]", "alerts[0].predicate must be a predicate"),
        ("alerts: [{name: a, predicate: x == 1, when: first, notify: [b]}]", "names of notifiers; there are none"),
        (
            "{notifiers: [{name: log, type: journal}], alerts: [{name: a, predicate: x == 1, when: first, notify: [{name: log}]}]}",
            "alerts[0].notify must be a list of names of notifiers"
        ),
        (
            "{notifiers: [{name: '404', type: journal}], alerts: [{name: a, predicate: x == 1, when: first, notify: [404]}]}",
            "alerts[0].notify must be a list of names of notifiers"
        ),
        ("alerts: [{name: a, predicate: x =, when: first, notify: [[]]}]", "notify must be a list of names of"),
        ("alerts: [{name: a, predicate: x == 1, when: first, by: [a, b, c, d]}]", "a list of at most 3 keys"),
        ("alerts: [{name: a, predicate: x == 1, when: first, show: [a, a]}]", "a list of at most 8 keys"),
        ("alerts: [{name: a, predicate: x == 1, when: first, show: message}]", "alerts[0].show must be a list"),
        ("notifiers: [{name: a, type: mail}]", "notifiers[0].type must be webhook, command or journal"),
        ("notifiers: [{name: a, type: webhook}]", "notifiers[0].url must be an address"),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', url_file: y}]",
            "notifiers[0].url must be left out when \"url_file\" is set"
        ),
        (
            "notifiers: [{name: a, type: webhook, url_credential: x, url_file: y}]",
            "notifiers[0].url_file must be left out when \"url_credential\" is set"
        ),
        (
            "notifiers: [{name: a, type: webhook, url_credential: ../x}]",
            "url_credential must be the name of a credential"
        ),
        (
            "notifiers: [{name: a, type: webhook, url_credential: ''}]",
            "url_credential must be the name of a credential"
        ),
        ("notifiers: [{name: a, type: webhook, url_file: ''}]", "notifiers[0].url_file must be the path of a file"),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', credential: x, token_file: y}]",
            "notifiers[0].token_file must be left out when \"credential\" is set"
        ),
        (
            "notifiers: [{name: a, type: journal, timeout: 5s}]",
            "notifiers[0].timeout must be left out with type: journal"
        ),
        (
            "notifiers: [{name: a, type: command, command: [/x], backoff: {}}]",
            "backoff must be left out with type: command"
        ),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', command: [/x]}]",
            "notifiers[0].command must be left out with type: webhook"
        ),
        ("notifiers: [{name: a, type: command, command: page}]", "command must be a list"),
        ("notifiers: [{name: a, type: command, command: [page]}]", "there is no shell"),
        ("notifiers: [{name: a, type: journal, template: '{{txt}}'}]", "and no {{txt}}"),
        // It would be no JSON when there is no event.
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', template: '{\"id\": {{event}}}'}]",
            "template must be a JSON object"
        ),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', template: '{\"id\": 0{{event}}}'}]",
            "template must be a JSON object"
        ),
        // It would be no JSON when an event is shown.
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', template: '{\"text\": \"{{text}}\"} {{shown}}'}]",
            "template must be a JSON object"
        ),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', template: '{\"a\": \"{{text}}\"{{shown}}}'}]",
            "template must be a JSON object"
        ),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', headers: {X-Site: a, x-site: b}}]",
            "headers must be without a second x-site"
        ),
        (
            "alerts: [{name: a, predicate: level >= error, when: first, for: 10m}]",
            "for must be left out with when: first"
        ),
        (
            "alerts: [{name: a, predicate: level >= error, when: first, every: 1h}]",
            "every must be left out with when: first"
        ),
        ("notifiers: [{name: a, type: journal, template: '{{text'}]", "each {{ has its }}"),
        (
            "notifiers: [{name: a, type: webhook, url: 'https://x', template: 'say {{text}}'}]",
            "a JSON object in whose strings"
        ),
    ])
    func `what is wrong is said`(yaml: String, message: String) {
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "notifiers: [{name: a, type: command, command: /bin/true}]",
        "alerts: [{name: a, predicate: x == 1, when: first, by: event}]",
        "alerts: [{name: a, predicate: x == 1, when: first, notify: b}]",
        "dictionaries: [{name: a, path: a, key: event}]", "notifiers: [{name: a, type: webhook}]",
        "notifiers: [{name: a, type: webhook, url: 5}]", "notifiers: [{name: a, type: webhook, url_file: 5}]",
        "notifiers: [{name: a, type: webhook, url_credential: yes}]",
    ])
    func `what is no list, or no text, is said once`(yaml: String) {
        let error = #expect(throws: SettingsError.self) { try settings(yaml) }
        #expect(error?.problems.count == 1, "\(error?.description ?? "")")
    }

    @Test func `an address that its notifier has no use for is not repeated`() {
        let error = #expect(throws: SettingsError.self) {
            try settings("notifiers: [{name: a, type: journal, url: 'https://x/SECRET'}]")
        }
        let text = error?.description ?? ""
        #expect(
            text.contains("notifiers[0].url must be left out with type: journal") && !text.contains("SECRET"), "\(text)"
        )
    }

    @Test(arguments: [
        "notifiers: [{name: a, type: webhook, url: 'https://x/SECRET', url_credential: b}]",
        "notifiers: [{name: a, type: webhook, url: 'htps://x/SECRET'}]",
        "sinks: [{name: a, type: http, url: 'htps://x/?key=SECRET'}]",
    ])
    func `an address is not repeated, since it may be secret`(text: String) throws {
        let error = try #require(throws: SettingsError.self) { try settings(text) }
        #expect("\(error)".contains("url must be ") && !"\(error)".contains("SECRET"))
    }
}
