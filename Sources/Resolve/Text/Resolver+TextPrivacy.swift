import JSON
import Model

/// Private values in the texts of payloads.
extension Resolver {
    /// What has to be done so that a text has no private values.
    enum TextRedaction {
        case none
        case text(MessageText)
        /// The text has private values in a place where they may be a part of what was taken for the payload.
        case withoutPayload
    }

    /// Redacts the text of a stored event.
    /// - Parameter payload: the event's; its members are `members`.
    func redaction(
        of text: MessageText, _ payload: UnsafeRawBufferPointer, _ format: PayloadFormat, by redaction: Redaction
    ) -> TextRedaction {
        let pairs = text.bytes.withUnsafeBytes { bytes -> [TextPairs.Pair]? in
            guard text.payloadPlace == nil else { return [] }
            guard case .payload(let found) = TextPayload.find(format, in: bytes),
                found.pairs.count == members.members.count
            else { return nil }
            return found.pairs
        }
        if let pairs {
            return self.redaction(of: text, format, pairs: pairs, of: payload, isStored: true, by: redaction)
        }
        // The settings have changed since it was resolved.
        return text.redacted(by: redaction).map { .text($0) } ?? .none
    }

    /// Redacts a text: the private values of its payload, and what has a protected name in it.
    /// - Parameters:
    ///   - pairs: those that the payload is made of, in the order of its members.
    ///   - payload: its members are `members`, and it has its private values.
    func redaction(
        of text: MessageText, _ format: PayloadFormat, pairs: [TextPairs.Pair], of payload: UnsafeRawBufferPointer,
        isStored: Bool, by redaction: Redaction
    ) -> TextRedaction {
        let secrets = SecretSearch(redaction.secrets(of: payload, members, isStored: isStored, except: keyPlaces))
        let isInPayload = text.bytes.withUnsafeBytes { bytes in
            text.payloadPlace.map { redaction.isWithinPrivateValue($0, in: bytes) }
                ?? redaction.hasPrivateValue(outside: pairs, in: bytes, secrets)
        }
        if isInPayload { return .withoutPayload }
        let result = text.bytes.withUnsafeBytes { bytes in
            let borders = text.payloadPlace.map { [$0..<$0] } ?? pairs.map(\.range)
            var edit = TextEdit(bytes, secrets)
            for (index, border) in borders.enumerated() {
                edit.appendRest(upTo: border.lowerBound, by: redaction)
                if text.payloadPlace != nil { edit.payloadPlace = edit.result.count }
                if index < pairs.count, let value = pairs[index].value,
                    let new = replacement(
                        for: pairs[index], of: members.members[index], bytes, payload, isStored: isStored, by: redaction
                    )
                {
                    edit.append(border.lowerBound..<value.lowerBound)
                    edit.replace(value, by: new)
                } else {
                    edit.append(border)
                }
            }
            edit.appendRest(upTo: bytes.count, by: redaction)
            return MessageText(edit.result, payloadPlace: edit.payloadPlace)
        }
        if result == text { return .none }
        return hasPairs(result, like: pairs, of: text, format) ? .text(result) : .withoutPayload
    }

    /// Whether the pairs of a redacted text still have their names. In a text with quotes that are never closed, a placeholder
    /// may close one.
    private func hasPairs(
        _ redacted: MessageText, like pairs: [TextPairs.Pair], of text: MessageText, _ format: PayloadFormat
    ) -> Bool {
        if pairs.isEmpty { return true }
        return redacted.bytes.withUnsafeBytes { bytes in
            guard case .payload(let found) = TextPayload.find(format, in: bytes) else { return false }
            return found.pairs.map { Array(bytes[$0.name]) } == pairs.map { Array(text.bytes[$0.name]) }
        }
    }

    /// Returns what replaces the value of a pair; `nil` if it may stay.
    /// - Parameter member: what the pair is in the payload.
    private func replacement(
        for pair: TextPairs.Pair, of member: JSONMember, _ text: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer, isStored: Bool, by redaction: Redaction
    ) -> [UInt8]? {
        guard !pair.content.isEmpty, !keyPlaces.contains(member.value) else { return nil }
        if let kind = redaction.privacy(of: UnsafeRawBufferPointer(rebasing: text[pair.name])) {
            return isStored && Placeholder.isOne(pair.content, kind)
                ? nil : redaction.placeholder(for: pair.content, kind)
        }
        guard member.kind == .object || member.kind == .array else { return nil }
        let object = redaction.redacted(payload, within: member.value, isStored: isStored, except: keyPlaces)
        let isQuoted = pair.value.map { text[$0.lowerBound] } == UInt8(ascii: "\"")
        return isQuoted ? object.map(TextPairs.quoted) : object
    }

    /// A text that is written again from front to back.
    private struct TextEdit {
        private let text: UnsafeRawBufferPointer
        private let secrets: SecretSearch
        private var end = 0
        private(set) var result: [UInt8] = []
        var payloadPlace: Int?

        init(_ text: UnsafeRawBufferPointer, _ secrets: SecretSearch) {
            self.text = text
            self.secrets = secrets
        }

        /// Appends what is no part of the payload.
        mutating func appendRest(upTo place: Int, by redaction: Redaction) {
            // What follows stays apart from it.
            let space = text[end..<place].reversed().prefix { $0 <= 0x20 }.count
            let rest = UnsafeRawBufferPointer(rebasing: text[end..<place - space])
            // What stands behind a protected name has no end that is known.
            let start = redaction.firstValue(in: rest) ?? rest.count
            let kept = secrets.replaced(in: Array(rest[..<start]))
            let new = start < rest.count ? kept + Placeholder.hidden : kept
            result += new
            if !rest.elementsEqual(new), space == 0, place < text.count { result.append(UInt8(ascii: " ")) }
            result += text[place - space..<place]
            end = place
        }

        mutating func replace(_ range: Range<Int>, by placeholder: [UInt8]) {
            result += placeholder
            end = range.upperBound
        }

        mutating func append(_ range: Range<Int>) {
            result += text[range]
            end = range.upperBound
        }
    }
}

extension MessageText {
    /// Returns the text up to the first value with a protected name; `nil` if there is none.
    func redacted(by redaction: Redaction) -> MessageText? {
        bytes.withUnsafeBytes { redaction.redacted(malformed: $0) }.map {
            MessageText($0, payloadPlace: payloadPlace == nil ? nil : $0.count)
        }
    }
}

extension Redaction {
    /// Whether a place in a text is within the value of a protected name, so that an object there is no payload:
    /// `email={…}`, `email=[{…}]`, `email: User({…})`.
    fileprivate func isWithinPrivateValue(_ place: Int, in text: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while let value = firstValue(in: UnsafeRawBufferPointer(rebasing: text[at..<place])) {
            at += value
            if at == place || Self.endsOpen(text[at..<place]) { return true }
        }
        return false
    }

    /// Whether brackets or quotes are open at the end of a text.
    private static func endsOpen(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var (depth, quotes, apostrophes) = (0, 0, 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ">"): depth = max(0, depth - 1)
            case UInt8(ascii: "\""), UInt8(ascii: "`"): quotes += 1
            case UInt8(ascii: "'"): apostrophes += 1
            default: break
            }
        }
        return depth > 0 || quotes % 2 == 1 || apostrophes % 2 == 1
    }

    /// Whether a private value may be in the name of a pair, or stands behind its name in a place where its end is not known:
    /// `failed for email: a@b.example n=1`. What follows between pairs ends at the next pair.
    fileprivate func hasPrivateValue(
        outside pairs: [TextPairs.Pair], in text: UnsafeRawBufferPointer, _ secrets: SecretSearch
    ) -> Bool {
        if pairs.contains(where: { secrets.isWithin(text[$0.name]) }) { return true }
        var (at, index) = (0, 0)
        while let found = firstValue(in: UnsafeRawBufferPointer(rebasing: text[at...])), at + found < text.count {
            let place = at + found
            while index < pairs.count, pairs[index].range.upperBound <= place { index += 1 }
            let previous = index > 0 ? pairs[index - 1] : nil
            let next = index < pairs.count ? pairs[index] : nil
            if let next, let value = next.value, value.contains(place) {
                guard place > value.lowerBound || isProtected(next, in: text) else { return true }
                at = value.upperBound
            } else if let next, next.range.contains(place) {
                // Only a private value that is empty may stand before a pair.
                guard place == next.range.lowerBound, let previous, previous.value?.isEmpty == true,
                    isProtected(previous, in: text), next.hasUsualValue
                else { return true }
                at = place
            } else {
                let rest = (previous?.range.upperBound ?? 0)..<(next?.range.lowerBound ?? text.count)
                guard let first = firstValue(in: UnsafeRawBufferPointer(rebasing: text[rest])),
                    rest.lowerBound + first <= place
                else { return true }
                at = rest.upperBound
            }
        }
        return false
    }

    private func isProtected(_ pair: TextPairs.Pair, in text: UnsafeRawBufferPointer) -> Bool {
        privacy(of: UnsafeRawBufferPointer(rebasing: text[pair.name])) != nil
    }
}

extension TextPairs.Pair {
    /// Whether it has a value that does not make it look like a part of a word, such as `ab==`.
    fileprivate var hasUsualValue: Bool { content.first.map { $0 != UInt8(ascii: "=") } ?? false }
}
