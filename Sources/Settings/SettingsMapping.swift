import Model
import Yams

/// Collects all problems while a settings file is read, so that they can be reported together.
final class SettingsProblems {
    let file: String
    private(set) var found: [SettingsError.Problem] = []
    /// What can hardly be meant, and is no error, one line each.
    private(set) var doubts: [String] = []

    init(file: String) {
        self.file = file
    }

    func add(_ message: String, at node: Node?) {
        found.append(.init(file: file, line: node?.mark?.line, column: node?.mark?.column, message: message))
    }

    func doubt(_ message: String) { doubts.append(message) }

    func add(_ message: String, line: Int?) { found.append(.init(file: file, line: line, message: message)) }
}

extension Node {
    /// The value if it is a text: a number and a boolean are one only in quotes.
    var text: String? { [Tag(.int), Tag(.float), Tag(.bool)].contains(tag) ? nil : string }
}

/// One block of the settings file. Each accessor returns `nil` for a key that is absent or `null`, and for a value that
/// it has reported as wrong.
struct SettingsMapping {
    /// The name of the block in messages, such as `store` or `sinks[0]`.
    let path: String
    static let top = "the settings"
    let node: Node
    let problems: SettingsProblems
    private let values: [ExactString: Node]

    /// - Parameter keys: the keys that the block may have; any other is reported with the most similar of these.
    init?(_ node: Node, path: String, keys: [String], problems: SettingsProblems) {
        guard let mapping = node.mapping else {
            problems.add("\(path) must be a block of keys (\(keys.joined(separator: ", ")))", at: node)
            return nil
        }
        var values: [ExactString: Node] = [:]
        for (keyNode, value) in mapping {
            guard let key = keyNode.string, keys.contains(key) else {
                problems.add(Self.unknown(keyNode.string ?? "?", in: path, keys), at: keyNode)
                continue
            }
            values[key] = value
        }
        self.path = path
        self.node = node
        self.values = values
        self.problems = problems
    }

    /// Of a key, only what keys are made of is shown: with a missing space, as in `{url:https://…}`, a value is a part of the key.
    private static func unknown(_ key: String, in path: String, _ keys: [String]) -> String {
        if key == "<<" {
            return "merge keys (<<) are not known in \(path): write its keys, or an alias (*name) in place of the block"
        }
        let name = String(decoding: key.utf8.prefix(while: \.isNameByte), as: UTF8.self)
        let rest = key.utf8.dropFirst(name.utf8.count)
        var hint = EditDistance.nearest(to: name, among: keys).map { "did you mean \"\($0)\"?" }
        if rest.first == UInt8(ascii: ":"), keys.contains(name) { hint = "write a space after \"\(name):\"" }
        return "unknown key \"\(name)\(rest.isEmpty ? "" : "…")\" in \(path); "
            + (hint ?? "known are: \(keys.joined(separator: ", "))")
    }

    /// Returns the value's node, unless it is absent or `null`.
    func value(_ key: String) -> Node? {
        guard let node = values[key], node.null == nil else { return nil }
        return node
    }

    func wrong(_ key: String, _ expectation: String) {
        let written = values[key]?.string.map { ", not \"\($0)\"" } ?? ""
        problems.add("\(name(of: key)) must be \(expectation)\(written)", at: values[key] ?? node)
    }

    /// As `wrong`, for what may be secret: it does not say what the value is.
    func wrongSecret(_ key: String, _ expectation: String) {
        problems.add("\(name(of: key)) must be \(expectation)", at: values[key] ?? node)
    }

    /// Returns the name of a key in messages; keys of the top level have no prefix.
    private func name(of key: String) -> String { path == Self.top ? key : "\(path).\(key)" }

    func string(_ key: String) -> String? {
        guard let node = value(key), !refuses(node, key) else { return nil }
        return read(key, as: "text") { $0.text }
    }

    static let textRule = "numbers, and words such as true and no, are text only in quotes"

    /// Reports a number or a boolean that is given for a text. It does not say what it is: the text may be secret.
    private func refuses(_ node: Node, _ key: String) -> Bool {
        guard node.text == nil, node.string != nil else { return false }
        wrongSecret(key, "text: \(Self.textRule)")
        return true
    }

    /// Reads a text that must be present and not empty.
    func required(_ key: String, _ what: String) -> String? {
        guard let node = value(key) else {
            problems.add("\(path) lacks \"\(key)\": \(what)", at: node)
            return nil
        }
        if refuses(node, key) { return nil }
        guard let text = node.text, !text.isEmpty else {
            wrong(key, what)
            return nil
        }
        return text
    }

    func bool(_ key: String) -> Bool? {
        read(key, as: "true or false") { $0.bool }
    }

    func count(_ key: String, in range: ClosedRange<Int>) -> Int? {
        read(key, as: "a whole number from \(range.lowerBound) to \(range.upperBound)") { node in
            node.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func bytes(_ key: String, in range: ClosedRange<Int64>) -> Int64? {
        let limits = "\(ByteCount.text(range.lowerBound)) to \(ByteCount.text(range.upperBound))"
        return read(key, as: "a size such as 64KiB, 1MiB or 2GiB (\(limits))") { node in
            node.string.flatMap(ByteCount.parse).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func duration(_ key: String, in range: ClosedRange<Duration>) -> Duration? {
        let limits = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
        return read(key, as: "a duration such as 500ms, 30s, 5m, 24h or 30d (\(limits))") { node in
            node.string.flatMap(DurationText.parse).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func percentage(_ key: String) -> Int? {
        read(key, as: "a part in hundredths such as 20% (1% to 100%)") { node in
            node.string.flatMap(Percentage.parse).flatMap { (1...100).contains($0) ? $0 : nil }
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, of type: Choice.Type) -> Choice? {
        read(key, as: type.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")) { node in
            node.string.flatMap(Choice.init(rawValue:))
        }
    }

    func startPoint(_ key: String) -> StartPoint? {
        read(key, as: StartPoint.form) { $0.string.flatMap(StartPoint.init) }
    }

    /// Returns the items of a list; an empty array when the key is absent.
    func list(_ key: String) -> [Node] {
        guard let node = value(key) else { return [] }
        guard let sequence = node.sequence else {
            wrong(key, "a list")
            return []
        }
        return Array(sequence)
    }

    /// Reads a list of texts, and reports what is none in it.
    func texts(_ key: String, _ what: String) -> [String] {
        let list = list(key)
        let texts = list.compactMap(\.text)
        if texts.count < list.count { wrong(key, what) }
        return texts
    }

    /// As `list`, for who reports what is no list: `nil` for that, too.
    func items(_ key: String) -> [Node]? { value(key)?.sequence.map { Array($0) } }

    func block(_ key: String, keys: [String]) -> SettingsMapping? {
        value(key).flatMap { SettingsMapping($0, path: name(of: key), keys: keys, problems: problems) }
    }

    /// Reads a block with keys of the user's choice, such as HTTP headers.
    func pairs(_ key: String) -> [(key: String, value: Node)] {
        guard let node = value(key) else { return [] }
        guard let mapping = node.mapping else {
            wrong(key, "a block of names and values")
            return []
        }
        return mapping.compactMap { name, value in name.string.map { ($0, value) } }
    }

    private func read<Value>(_ key: String, as expectation: String, _ parse: (Node) -> Value?) -> Value? {
        guard let node = value(key) else { return nil }
        guard let value = parse(node) else {
            wrong(key, expectation)
            return nil
        }
        return value
    }
}
