import HTTPTypes

/// The sequence of the receiver's answers; the last answer is repeated forever.
struct AnswerScript: Sendable {
    struct Answer: Sendable, Hashable {
        enum Action: Sendable, Hashable {
            case status(Int)
            /// Takes the batch, then closes the connection without a reply, as if the reply were lost.
            case drop
            /// Takes the batch and answers 200 after this many seconds.
            case slow(seconds: Double)
            /// Neither takes the batch nor answers.
            case hang
        }

        var action: Action
        var header: Header?

        static let ok = Answer(action: .status(200))

        /// Whether the batch counts as received.
        var takesBatch: Bool {
            switch action {
            case .status(let status): (200...299).contains(status)
            case .drop, .slow: true
            case .hang: false
            }
        }

        var name: String {
            switch action {
            case .status(let status): "\(status)"
            case .drop: "drop"
            case .slow: "slow"
            case .hang: "hang"
            }
        }
    }

    struct Header: Sendable, Hashable {
        var name: HTTPField.Name
        var value: String
    }

    private var answers: [(answer: Answer, count: Int)] = []

    /// - Parameter text: a script such as `503x3,429:retry-after=2,drop,slow=1.5,200`.
    /// - Throws: `AnswerScriptError` with the item that cannot be parsed.
    init(_ text: String) throws(AnswerScriptError) {
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let parsed = Self.parse(item) else { throw AnswerScriptError(item: String(item)) }
            answers.append(parsed)
        }
    }

    /// The answer that is next.
    var current: Answer { answers.first?.answer ?? .ok }

    /// Uses up `current`.
    mutating func advance() {
        guard answers.count > 1 else { return }
        answers[0].count -= 1
        if answers[0].count == 0 { answers.removeFirst() }
    }

    private static func parse(_ item: Substring) -> (answer: Answer, count: Int)? {
        let parts = item.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let what = parts.first else { return nil }
        var header: Header?
        if parts.count == 2 {
            guard let parsed = parseHeader(parts[1]) else { return nil }
            header = parsed
        }
        let (name, count) = splitCount(what)
        guard let count, count >= 1, let action = parseAction(name) else { return nil }
        return (Answer(action: action, header: header), count)
    }

    private static func parseAction(_ name: Substring) -> Answer.Action? {
        switch name {
        case "drop": return .drop
        case "hang": return .hang
        default: break
        }
        if name.hasPrefix("slow=") {
            guard let seconds = Double(name.dropFirst(5)), (0...3600).contains(seconds) else { return nil }
            return .slow(seconds: seconds)
        }
        guard let status = Int(name), (200...599).contains(status) else { return nil }
        return .status(status)
    }

    /// Splits off the count: `503x3` is `503` three times.
    private static func splitCount(_ text: Substring) -> (name: Substring, count: Int?) {
        guard let cross = text.lastIndex(of: "x") else { return (text, 1) }
        return (text[..<cross], Int(text[text.index(after: cross)...]))
    }

    private static func parseHeader(_ text: Substring) -> Header? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = HTTPField.Name(String(parts[0])), !parts[1].isEmpty else { return nil }
        return Header(name: name, value: String(parts[1]))
    }
}

struct AnswerScriptError: Error, CustomStringConvertible {
    var item: String

    var description: String {
        "“\(item)” is not an answer; write a status from 200 to 599, drop, hang or slow=SECONDS, then xCOUNT, "
            + "then :HEADER=VALUE, such as 503x3 or 429:retry-after=2"
    }
}
