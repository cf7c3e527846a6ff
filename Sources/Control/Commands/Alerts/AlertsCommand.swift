import API
import ArgumentParser
import Model

/// The alert rules of the settings.
struct AlertsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts", _superCommandName: Glossctl.name,
        abstract: "Show, try and silence alerts.",
        usage: "glossctl alerts [<subcommand>] [<options>]",
        discussion: """
            An alert is a rule of the settings: a predicate, and when notices about its events are sent. See docs/alerts.md.

            \(Outcome.help)

            Examples:
              glossctl alerts
              glossctl alerts history
              glossctl alerts try checkout-errors --since -7d
              glossctl alerts test checkout-errors
              glossctl alerts silence checkout-errors 1h
            """,
        subcommands: [
            ListAlertsCommand.self, AlertHistoryCommand.self, TryAlertCommand.self, TestAlertCommand.self,
            SilenceAlertCommand.self,
        ],
        defaultSubcommand: ListAlertsCommand.self)
}

struct ListAlertsCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the alerts, and what they fire for.",
        discussion: """
            \(Outcome.help) The exit status is 1 if an alert fires or is held.

            Examples:
              glossctl alerts list
              glossctl alerts list -o json
            """)

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let reply = try await client.document(APIPath.alerts)
        let list = try ControlClient.decode(AlertList.self, reply).alerts
        if output == .json || !list.isEmpty {
            try console.answer(output, reply) { AlertRenderer(style: text.style(console)).text(list) }
        }
        guard !list.isEmpty else {
            throw ControlError.nothing("The settings have no alerts (alerts: in gloss.yaml).")
        }
        let bad = [(AlertReply.State.firing, "firing"), (.held, "held")].compactMap { state, word in
            let names = list.filter { $0.state == state }.map { SafeText.neutralised($0.name) }
            return names.isEmpty ? nil : "\(word): \(names.joined(separator: ", "))"
        }
        if !bad.isEmpty { throw ControlError.no(bad.joined(separator: "; ")) }
    }
}

struct AlertHistoryCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the notices that alerts have sent, and to whom.",
        discussion: """
            \(Outcome.help)

            Examples:
              glossctl alerts history
              glossctl alerts history checkout-errors -n 10 -o json
            """)

    @Argument(help: ArgumentHelp("Only this alert.", valueName: "alert"), completion: Completions.alerts)
    var alert: String?

    @Option(
        name: .letter("n"),
        help: ArgumentHelp(
            "The most notices, or all: \(Quantity.count(AlertNotice.mostKept)) are kept at most.",
            valueName: "number"))
    var lines = LineCount.last(20)

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let most: Int
        switch lines {
        case .all: most = AlertNotice.mostKept
        case .last(let number) where number > 0: most = number
        case .last, .first:
            throw ControlError.wrongUsage("-n \(lines.defaultValueDescription): write a number from 1 on, or all")
        }
        let client = try connection.client(console)
        let list = try await list(client, most)
        let notices = list.notices
        if output == .json { try console.print(document: Array(try APICoding.encode(list))) }
        guard !notices.isEmpty else {
            if let alert {
                let names = try await client.document(AlertList.self, APIPath.alerts).alerts.map(\.name)
                guard names.contains(where: { ExactString($0) == ExactString(alert) }) else {
                    let known = names.isEmpty ? "the settings have none" : "there are \(names.joined(separator: ", "))"
                    throw ControlError.no(SafeText.neutralised("there is no alert \(alert); \(known)"))
                }
            }
            let whose = alert.map { "The alert \(SafeText.neutralised($0))" } ?? "No alert"
            throw ControlError.nothing("\(whose) has sent \(alert == nil ? "a" : "no") notice.")
        }
        guard output == .text else { return }
        try console.print(AlertRenderer(style: text.style(console)).text(notices.reversed(), hasDeliveries: true))
    }

    /// Asks for notices, page by page.
    private func list(_ client: ControlClient, _ most: Int) async throws -> NoticeList {
        var (list, query) = (NoticeList(notices: []), NoticeQuery())
        query.alert = alert
        repeat {
            query.limit = min(most - list.notices.count, NoticeQuery.maximumLimit)
            let page = try await client.document(NoticeList.self, APIPath.notices(query))
            list.notices += page.notices
            // Prevents an endless loop.
            list.next = page.next.flatMap { $0 < query.before ?? .max ? $0 : nil }
            query.before = list.next
        } while query.before != nil && list.notices.count < most
        return list
    }
}

struct TryAlertCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Show when an alert would have fired, by stored events.",
        discussion: """
            --file has rules that are not in the settings yet: a list below alerts:, as there. Nothing is sent.

            \(Outcome.help) An alert that would not have fired is an answer: 0.

            Examples:
              glossctl alerts try checkout-errors --since -7d
              glossctl alerts try checkout-errors --file new-rules.yaml --since yesterday
            """)

    @Argument(help: ArgumentHelp("The name of the alert.", valueName: "alert"), completion: Completions.alerts)
    var alert: String

    @Option(
        name: .letter("S"), parsing: .unconditional,
        help: ArgumentHelp("From when on: -7d, today, \"2026-11-21 10:00\" (default: -1d).", valueName: "since"))
    var since: String?

    @Option(name: .long, help: ArgumentHelp("A file with rules.", valueName: "path"), completion: .file())
    var file: String?

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let times = TimeExpression(now: console.now(), zone: console.zone)
        let time = try since.map { text throws(ControlError) in
            // A length of time can only be meant as one that ends now.
            let isSpan = TimeSpan.microseconds(text) != nil && TimeSpan.missingUnit(in: text) == nil
            return try TimeOption.beginning(isSpan ? "-\(text)" : text, times)
        }
        let body = try file.map { try ChecklistFile.text($0) } ?? []
        let client = try connection.client(console)
        let reply = try await client.document(
            APIPath.alertTrial(alert, TrialQuery(since: time, file: file)), method: "POST", body: body,
            timeout: ControlClient.scanTimeout)
        if output == .json { return try console.print(document: reply) }
        let notices = try ControlClient.decode(NoticeList.self, reply).notices
        guard !notices.isEmpty else {
            return try console.print("\(SafeText.neutralised(alert)) would not have fired.\n")
        }
        try console.print(AlertRenderer(style: text.style(console)).text(notices, hasDeliveries: false))
    }
}

struct TestAlertCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a test notice to the notifiers of an alert.",
        discussion: """
            Waits until it is delivered to all, or --timeout is over. Only for administrators (control.admin_group).

            \(Outcome.help)

            Examples:
              sudo glossctl alerts test checkout-errors
            """)

    @Argument(help: ArgumentHelp("The name of the alert.", valueName: "alert"), completion: Completions.alerts)
    var alert: String

    @Option(name: .long, help: ArgumentHelp("The longest time to wait.", valueName: "time span"))
    var timeout = "10s"

    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let limit = ContinuousClock.now + (try TimeOption.duration("--timeout", timeout))
        let client = try connection.client(console)
        let reply = try await client.document(APIPath.alertTest(alert), method: "POST")
        let wanted = try ControlClient.decode(AlertReply.self, reply).notify
        guard !wanted.isEmpty else {
            throw ControlError.no("the alert \(alert) has no notifiers: give it notify: in the settings")
        }
        var query = NoticeQuery()
        // More may have been sent meanwhile.
        (query.alert, query.limit) = (alert, 100)
        while true {
            let notices = try await client.document(NoticeList.self, APIPath.notices(query)).notices
            guard let notice = notices.first(where: { $0.state == AlertNotice.State.test.rawValue }) else {
                throw ControlError.no("whether it was sent is not known: glossctl alerts history \(alert) says more")
            }
            let waiting = notice.deliveries.filter { $0.deliveredAt == nil }.map { SafeText.neutralised($0.notifier) }
            if waiting.isEmpty {
                // What was not delivered to a notifier is forgotten with it.
                let reached = Set(notice.deliveries.map { ExactString($0.notifier) })
                let gone = wanted.filter { !reached.contains(ExactString($0)) }.map { SafeText.neutralised($0) }
                guard gone.isEmpty else {
                    throw ControlError.no(
                        "not delivered: \(gone.joined(separator: ", ")); removed from the settings meanwhile")
                }
                let names = notice.deliveries.map { SafeText.neutralised($0.notifier) }
                return try console.print("Sent to \(names.joined(separator: ", ")).\n")
            }
            guard ContinuousClock.now < limit else {
                throw ControlError.no("not delivered yet: \(waiting.joined(separator: ", ")); glossctl status says why")
            }
            try await Task.pause(for: .milliseconds(100))
        }
    }
}

struct SilenceAlertCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "Send no notices of an alert for a time.",
        discussion: """
            What it would have sent is in the history. Only for administrators (control.admin_group).

            \(Outcome.help)

            Examples:
              sudo glossctl alerts silence checkout-errors 1h
              sudo glossctl alerts silence checkout-errors --end
            """)

    @Argument(help: ArgumentHelp("The name of the alert.", valueName: "alert"), completion: Completions.alerts)
    var alert: String

    @Argument(help: ArgumentHelp("For how long: 30m, 1h, 2d.", valueName: "time span"))
    var span: String?

    @Flag(name: .long, help: "End the silence.")
    var end = false

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        guard (span == nil) == end else { throw ValidationError("Give a time span, such as 1h, or --end.") }
    }

    func run(on console: Console) async throws {
        let time = try span.map { text throws(ControlError) in
            console.now() + (try TimeOption.span("silence", text))
        }
        let client = try connection.client(console)
        let reply = try await client.document(
            APIPath.alertSilence(alert, SilenceQuery(until: time)), method: "POST")
        let list = [try ControlClient.decode(AlertReply.self, reply)]
        try console.print(AlertRenderer(style: text.style(console)).text(list))
    }
}
