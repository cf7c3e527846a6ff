import API
import ArgumentParser
import Model

/// The formats of what a run has come to.
enum ChecklistFormats: String, Choice {
    case text, json, junit, markdown, github

    static let help = ArgumentHelp(
        """
        text, json (the document of the API), junit (a test report), markdown (a task list for a pull request) or github \
        (annotations of a workflow).
        """)

    /// - Parameter document: what is printed as JSON.
    func print(
        _ report: ChecklistReport, document: @autoclosure () throws -> [UInt8], _ style: Style, on console: Console
    ) throws {
        switch self {
        case .text: try console.print(ChecklistRenderer(style: style).text(report.checklist, report.scope))
        case .json: try console.print(document: document())
        case .junit: try console.print(ChecklistJUnit(report: report).text)
        case .markdown: try console.print(ChecklistMarkdown(report: report).text)
        case .github: try console.print(ChecklistAnnotations(report: report).text)
        }
    }
}

/// What a run has come to, and whether that is certain.
struct ChecklistReport {
    let checklist: ChecklistReply
    /// What it looked at; `nil` if that is not known.
    let scope: ChecklistScope?
    let reasons: [ChecklistGate.Reason]

    init(_ checklist: ChecklistReply, scope: ChecklistScope?, reasons: [ChecklistGate.Reason]) {
        (self.checklist, self.scope, self.reasons) = (checklist, scope, reasons)
    }

    /// An item, an order or a funnel.
    struct Part {
        /// The name as the run has it.
        var given: String
        var result: ChecklistReply.Result
        /// What it has come to, in words.
        var text: String
        /// What is wrong although it is done.
        var warning: String?
        /// An event to look at.
        var sample: Int64?

        /// The name as it is shown.
        var name: String { SafeText.neutralised(given) }
    }

    static let patternHint =
        "an item is one event, and * no pattern: glossctl checklist new --category writes an item for each event"

    /// What is said of a funnel for which there are more users than are kept.
    static let cut = "not all users are counted"

    var parts: [Part] { items + orders + funnels }

    var items: [Part] {
        checklist.items.map { item in
            Part(
                given: item.name, result: item.result, text: Self.text(item),
                warning: item.violating == 0 || item.result != .done
                    ? nil : "\(Quantity.count(item.violating)) violating", sample: item.last?.id)
        }
    }

    /// `3`, `1 of 2`, `4, at most 3`, `not sent`, `sent 2 times, must not be sent`
    static func text(_ item: ChecklistReply.Item) -> String {
        let count = Quantity.count(item.count)
        if item.max == 0 {
            return item.count == 0 ? "not sent" : "sent \(Quantity.count(item.count, "time")), must not be sent"
        }
        switch item.result {
        case .done: return count
        case .failed: return "\(count), at most \(Quantity.count(item.max ?? 0))"
        case .missing where item.count >= item.min:
            return "\(count), \(Quantity.count(item.violating)) of them violating"
        case .missing: return item.count == 0 && item.min == 1 ? "missing" : "\(count) of \(Quantity.count(item.min))"
        }
    }

    var orders: [Part] {
        checklist.orders.map { order in
            let limit = order.withinSeconds.map { " within \(Quantity.time(seconds: $0))" } ?? ""
            return Part(
                given: order.steps.joined(separator: " → ") + limit, result: order.result,
                text: order.problem.map { SafeText.neutralised($0.description) }
                    ?? (order.result == .done ? "" : "not complete"))
        }
    }

    var funnels: [Part] {
        checklist.funnels.map { funnel in
            let last = funnel.steps.last?.reached ?? 0
            let what = Quantity.count(last) + (funnel.result == .done ? "" : " of \(Quantity.count(funnel.min))")
            return Part(
                given: funnel.name, result: funnel.result,
                text: "\(what) at \(SafeText.neutralised(funnel.steps.last?.name ?? ""))"
                    + (funnel.isCut ? ", \(Self.cut)" : ""))
        }
    }

    /// What is missing and what has failed, a sentence each.
    /// - Parameter isListed: whether the parts have been shown, so that they are only named here.
    func failures(isListed: Bool) -> [String] {
        [(ChecklistReply.Result.failed, "failed"), (.missing, "missing")].compactMap { result, word in
            let found = parts.filter { $0.result == result }
            guard !found.isEmpty else { return nil }
            let names = found.map { isListed || $0.text == word ? $0.name : "\($0.name) (\($0.text))" }
            return "\(word): \(names.joined(separator: ", "))"
        }
    }

    /// The documents of the API, and what is wrong.
    func json(_ checklist: [UInt8], scope: [UInt8]?) throws -> [UInt8] {
        struct Wrong: Encodable {
            struct Gate: Encodable {
                var name: String
                var text: String
            }
            var missing: [String]
            var failed: [String]
            var gate: [Gate]
        }
        let wrong = Wrong(
            missing: parts.filter { $0.result == .missing }.map(\.given),
            failed: parts.filter { $0.result == .failed }.map(\.given),
            gate: reasons.map { Wrong.Gate(name: $0.name.rawValue, text: $0.text) })
        return Array(#"{"checklist":"#.utf8) + checklist + Array(#","scope":"#.utf8) + (scope ?? Array("null".utf8))
            + Array(#","wrong":"#.utf8) + (try APICoding.encode(wrong)) + Array("}".utf8)
    }

    /// `120 events: 118 resolved, 2 undefined; shop 25.4 (120)`
    var looked: String? {
        guard let scope else { return nil }
        var text = "Looked at \(EventSums(scope.scope.events).text)"
        var programs = scope.programs.map { program in
            let name = [program.identifier ?? "(no identifier)", program.version ?? ""].filter { !$0.isEmpty }
            return SafeText.neutralised("\(name.joined(separator: " ")) (\(Quantity.count(program.events)))")
        }
        if scope.morePrograms > 0 { programs.append("and \(Quantity.count(scope.morePrograms)) more") }
        if !programs.isEmpty { text += "; of \(programs.joined(separator: ", "))" }
        return text
    }

    /// `release-ios: 3 of 5 done`
    var heading: String {
        "\(SafeText.neutralised(checklist.name)): \(checklist.done) of \(checklist.total) done"
    }
}

extension ChecklistReply.Item {
    /// What its event may be meant to be, if it is not defined; `nil` if that is not known.
    var meant: String? {
        looksLikePattern ? ChecklistReport.patternHint : closest.map { "the closest is \(SafeText.neutralised($0))" }
    }

    /// Whether its event is probably meant as a pattern. A name may have a `*`, but then it is defined.
    var looksLikePattern: Bool { !isDefined && event.contains("*") }
}
