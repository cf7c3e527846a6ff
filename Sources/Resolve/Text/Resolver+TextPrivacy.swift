import JSON
import Model

/// Private values in texts with payloads. Nothing is kept that may be a part of one.
extension Resolver {
    /// Where a text with pairs has private values.
    enum PairPrivacy {
        case nowhere
        /// Only in the values of pairs.
        case inValues
        /// One may be elsewhere as well, or it is not clear where it ends.
        case unclear
    }

    /// - Parameter payload: the object of all pairs.
    mutating func privacy(
        of pairs: [TextPairs.Pair], in text: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer,
        _ origin: Origin, _ scope: DictionaryScope, by redaction: Redaction
    ) -> PairPrivacy {
        // Beyond the limits it is no payload.
        guard members.scan(payload, limits: .payload) == nil else { return .nowhere }
        _ = key(in: payload, origin, scope)
        let named = zip(pairs, members.members).filter { $0.0.value != nil }
        let hasObjects = named.contains { redactedObject($0.1, in: payload, by: redaction) != nil }
        let hasParts = named.contains { redaction.isProtectedInPart($0.0, in: text) }
        let hasNames = named.contains { redaction.isProtected($0.0, in: text) }
        guard hasObjects || hasParts || hasNames || redaction.firstValue(in: text) != nil else { return .nowhere }
        guard !hasParts, redaction.isInValues(named, in: text) else { return .unclear }
        let hidden = named.filter { redaction.isProtected($0.0, in: text) && !keyPlaces.contains($0.1.value) }
        guard hasObjects || !hidden.isEmpty else { return .nowhere }
        let contents = hidden.map(\.0.content).filter {
            SecretSearch.isSearched($0) && !(isStored && Placeholder.isOne($0, .hash))
        }
        let secrets = SecretSearch(
            contents + redaction.secrets(of: payload, members, isStored: isStored, except: keyPlaces))
        if secrets.hidesAll { return .unclear }
        // A name that a definition has says nothing.
        let event = event(of: payload, origin, scope)
        let others = named.filter { pair, member in
            !redaction.isProtected(pair, in: text) && event?.payload.defines(member, in: payload) != true
        }
        return secrets.isWithin(others.map { text[$0.0.name] }) ? .unclear : .inValues
    }

    /// Writes a text again from its pairs, without their private values and without what stands between them.
    /// - Parameter payload: the object of the pairs; its members are `members`.
    func text(
        of pairs: [TextPairs.Pair], in text: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer,
        by redaction: Redaction
    ) -> MessageText {
        var result: [UInt8] = []
        for (pair, member) in zip(pairs, members.members) {
            guard let value = pair.value else { continue }
            if !result.isEmpty { result.append(UInt8(ascii: " ")) }
            result += text[pair.name.lowerBound..<value.lowerBound]
            result += replacement(for: pair, member, in: text, payload, by: redaction) ?? Array(text[value])
        }
        return MessageText(result)
    }

    /// Returns what replaces the value of a pair; `nil` if it may stay.
    /// - Parameter member: what the pair is in the payload.
    private func replacement(
        for pair: TextPairs.Pair, _ member: JSONMember, in text: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer, by redaction: Redaction
    ) -> [UInt8]? {
        guard !keyPlaces.contains(member.value) else { return nil }
        if let kind = redaction.privacy(of: UnsafeRawBufferPointer(rebasing: text[pair.name])) {
            // Nothing that follows can be taken for the value.
            if pair.content.isEmpty { return TextPairs.quoted([]) }
            if isStored && Placeholder.isOne(pair.content, kind) { return nil }
            // As the payload has it.
            return redaction.placeholder(for: Array(String(decoding: pair.content, as: UTF8.self).utf8), kind)
        }
        if let object = redactedObject(member, in: payload, by: redaction) { return TextPairs.quoted(object) }
        // A quote that was not closed may be closed now.
        return !pair.isEnclosed && pair.content.first == UInt8(ascii: "\"") ? TextPairs.quoted(pair.content) : nil
    }

    /// Returns an object or array without its private values; `nil` if it has none, or is another value.
    private func redactedObject(
        _ member: JSONMember, in payload: UnsafeRawBufferPointer, by redaction: Redaction
    ) -> [UInt8]? {
        guard member.kind == .object || member.kind == .array else { return nil }
        return redaction.redacted(payload, within: member.value, isStored: isStored, except: keyPlaces)
    }

    /// Redacts the text around an object: the private values of the object, and what follows a private name behind it.
    /// - Parameter payload: the object; its members are `members`.
    /// - Returns: `nil` if a private name stands before the object, which may be a part of its value.
    func redacted(
        _ text: MessageText, around place: Int, _ payload: UnsafeRawBufferPointer, by redaction: Redaction
    ) -> MessageText? {
        let (start, end) = (text.bytes[..<place], text.bytes[place...])
        guard start.withUnsafeBytes({ redaction.firstValue(beside: $0) }) == nil else { return nil }
        let secrets = SecretSearch(redaction.secrets(of: payload, members, isStored: isStored, except: keyPlaces))
        let before = secrets.replaced(in: Array(start))
        // What stands behind a private name has no end that is known.
        let value = end.withUnsafeBytes { redaction.firstValue(beside: $0) } ?? end.count
        let after = secrets.replaced(in: Array(end.prefix(value))) + (value < end.count ? Placeholder.hidden : [])
        return MessageText(before + after, payloadPlace: before.count)
    }
}

extension Redaction {
    /// Returns the start of the first value with a protected name in the text before or behind an object. It may have objects that
    /// are broken.
    fileprivate func firstValue(beside text: UnsafeRawBufferPointer) -> Int? {
        firstValue(in: text, json: MalformedText.startOfObject(in: text))
    }

    /// Whether every private name in a text is that of a pair, and every private value ends where its pair does.
    fileprivate func isInValues(
        _ pairs: [(TextPairs.Pair, JSONMember)], in text: UnsafeRawBufferPointer
    ) -> Bool {
        let isProtected = pairs.map { self.isProtected($0.0, in: text) }
        let isObject = pairs.map { $0.1.kind == .object || $0.1.kind == .array }
        let isWhole = pairs.indices.map { isObject[$0] || pairs[$0].0.isWhole }
        guard pairs.indices.allSatisfy({ !isProtected[$0] || isWhole[$0] && (isObject[$0] || !pairs[$0].0.isOfPairs) })
        else {
            return false
        }
        var index = 0
        for at in values(in: text).map(\.place) {
            while index < pairs.count, pairs[index].0.range.upperBound < at { index += 1 }
            let next = index < pairs.count ? pairs[index] : nil
            if let next, let value = next.0.value, value.lowerBound <= at {
                let isName = at == value.lowerBound
                let isWithin = !isName && at < value.upperBound && isWhole[index] && !next.0.mayEnd(at: at, in: text)
                let isAtEnd = !isName && at == text.count && isWhole[index]
                guard isProtected[index] || isWithin || isAtEnd else { return false }
            } else if !isEmpty(index > 0 ? pairs[index - 1].0 : nil, before: at, next?.0, in: text) {
                return false
            }
        }
        return true
    }

    /// Whether the last private name is that of a pair without a value, or the end of a public value (`url=/?email=`), and nothing
    /// follows it but another pair.
    private func isEmpty(
        _ pair: TextPairs.Pair?, before place: Int, _ next: TextPairs.Pair?, in text: UnsafeRawBufferPointer
    ) -> Bool {
        guard let pair, pair.range.upperBound <= place, text[pair.range.upperBound..<place].allSatisfy({ $0 <= 0x20 }),
            isProtected(pair, in: text) ? pair.content.isEmpty : pair.isWhole && pair.content.last == UInt8(ascii: "=")
        else { return false }
        guard let next else { return place == text.count }
        guard place == next.range.lowerBound, TextPairs.isName(text[next.name]) else { return false }
        // A value such as `aB3=` or `ab==` looks like a pair.
        if let first = next.content.first { return first != UInt8(ascii: "=") }
        return next.isEnclosed || text[next.name].allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a name is that of a value within a protected one: `email.address`.
    fileprivate func isProtectedInPart(_ pair: TextPairs.Pair, in text: UnsafeRawBufferPointer) -> Bool {
        let parts = text[pair.name].split { ".[]".utf8.contains($0) }
        return parts.first?.count != pair.name.count
            && parts.contains { privacy(of: UnsafeRawBufferPointer(rebasing: $0)) != nil }
    }

    fileprivate func isProtected(_ pair: TextPairs.Pair, in text: UnsafeRawBufferPointer) -> Bool {
        privacy(of: UnsafeRawBufferPointer(rebasing: text[pair.name])) != nil
    }

}

extension TextPairs.Pair {
    /// Whether the value is certainly no part of a longer one: it has no start of quotes or brackets, which may have white
    /// space in them, and is not only punctuation.
    fileprivate var isWhole: Bool {
        if isEnclosed || content.isEmpty || isPlaceholder || isInApostrophes { return true }
        guard content.contains(where: SecretSearch.isInValues), !hasOpenQuotes else { return false }
        var open = 0
        for (index, byte) in content.enumerated() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "`"): return false
            // The space behind it may be a part of the value.
            case UInt8(ascii: "\\") where index == content.count - 1: return false
            case UInt8(ascii: "'"):
                guard index > 0, SecretSearch.isInValues(content[index - 1]) else { return false }
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): open += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ">"):
                guard open > 0 else { return false }
                open -= 1
            default: break
            }
        }
        return open == 0
    }

    /// Whether the value begins with a pair, others of which may follow behind it: `session=1; uid=2`. An end such as `ab==` makes
    /// none, and neither does the query of a URL.
    fileprivate var isOfPairs: Bool {
        guard !isEnclosed, !isInApostrophes, let equals = content.firstIndex(of: UInt8(ascii: "=")) else {
            return false
        }
        let isPadding = content[equals...].allSatisfy { $0 == UInt8(ascii: "=") }
        return !isPadding && TextPairs.isName(content[..<equals])
    }

    /// Whether it is what programs write for no value, for one that may not be seen, or for a root: `-`, `?`, `***`, `[]`, `/`.
    private var isPlaceholder: Bool {
        let text = content.last == UInt8(ascii: ",") ? content.dropLast() : content[...]
        return content.allSatisfy { "-?*".utf8.contains($0) }
            || ["[]", "{}", "()", "<>", "/", "::", "."].contains { text.elementsEqual($0.utf8) }
    }

    private var isInApostrophes: Bool {
        let apostrophe = UInt8(ascii: "'")
        let text = content.drop { "bBfFrRuU".utf8.contains($0) }
        return text.count > 1 && content.count - text.count <= 2 && text.first == apostrophe && text.last == apostrophe
            && !text.dropFirst().dropLast().contains(apostrophe)
    }

    /// Whether it has typographic quotes, or those of a text of Python (`b'…'`), that do not end in it.
    private var hasOpenQuotes: Bool {
        let apostrophe = UInt8(ascii: "'")
        let prefix = content.prefix { "bBfFrRuU".utf8.contains($0) }
        if (1...2).contains(prefix.count), content[prefix.count...].first == apostrophe { return true }
        guard content.contains(where: { $0 >= 0x80 }) else { return false }
        var text = String(decoding: content, as: UTF8.self).unicodeScalars[...]
        while let last = text.last, ",;".unicodeScalars.contains(last) { text.removeLast() }
        // ’ is an apostrophe as well.
        let hasSingle = text.contains("‘") || text.contains("‚") || text.first == "’"
        if hasSingle, text.count == 1 || text.last != "’" && text.last != "‘" { return true }
        return text.count(where: Self.isQuote) % 2 == 1
    }

    private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII, !"‘‚’".unicodeScalars.contains(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: return true
        default: return scalar == "\u{FF02}"
        }
    }

    /// Whether quotes may have ended before a private name that seems to be within them: behind a backslash that programs without
    /// escapes write, as in `dir="C:\tmp\" email=" a"`.
    fileprivate func mayEnd(at place: Int, in text: UnsafeRawBufferPointer) -> Bool {
        guard isEnclosed, let value, place == value.upperBound - 1 else { return false }
        return zip(text[value], text[value].dropFirst()).contains {
            $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "\"")
        }
    }
}
