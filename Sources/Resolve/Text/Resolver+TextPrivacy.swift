import JSON
import Model

/// Private values in the texts of payloads.
extension Resolver {
    /// Returns the text of a stored event without private values; `nil` if there is nothing to remove.
    /// - Parameter payload: the event's; its members are `members`.
    func redacted(
        _ text: MessageText, of payload: UnsafeRawBufferPointer, _ format: PayloadFormat, by redaction: Redaction
    ) -> MessageText? {
        let pairs = text.bytes.withUnsafeBytes { bytes -> [TextPairs.Pair]? in
            guard text.payloadPlace == nil else { return [] }
            guard case .payload(let found) = TextPayload.find(format, in: bytes) else { return nil }
            return found.pairs
        }
        if let pairs { return redacted(text, pairs: pairs, of: payload, isStored: true, by: redaction) }
        // The settings have changed since it was resolved.
        return text.bytes.withUnsafeBytes { redaction.redacted(malformed: $0) }.map { MessageText($0) }
    }

    /// Returns a text without the private values of its payload, and without what has a protected name in it; `nil` if there
    /// is nothing to remove.
    /// - Parameters:
    ///   - pairs: those that the payload is made of, in the order of its members.
    ///   - payload: its members are `members`, and it has its private values.
    func redacted(
        _ text: MessageText, pairs: [TextPairs.Pair], of payload: UnsafeRawBufferPointer, isStored: Bool,
        by redaction: Redaction
    ) -> MessageText? {
        let secrets = SecretSearch(redaction.secrets(of: payload, members, isStored: isStored, except: keyPlaces))
        let kept = Set(
            pairs.indices.filter { $0 < members.members.count && keyPlaces.contains(members.members[$0].value) })
        let result = text.bytes.withUnsafeBytes { bytes in
            let borders = text.payloadPlace.map { [$0..<$0] } ?? pairs.map(\.range)
            var edit = TextEdit(bytes, secrets)
            for (index, border) in borders.enumerated() {
                edit.appendRest(upTo: border.lowerBound, by: redaction)
                if text.payloadPlace != nil { edit.payloadPlace = edit.result.count }
                let pair = index < pairs.count ? pairs[index] : nil
                guard let pair, let value = pair.value, !kept.contains(index),
                    let kind = redaction.privacy(of: UnsafeRawBufferPointer(rebasing: bytes[pair.name])),
                    !(isStored && Placeholder.isOne(pair.content, kind)), !pair.content.isEmpty
                else {
                    edit.append(border)
                    continue
                }
                edit.append(border.lowerBound..<value.lowerBound)
                edit.replace(value, by: redaction.placeholder(for: pair.content, kind))
            }
            edit.appendRest(upTo: bytes.count, by: redaction)
            return MessageText(edit.result, payloadPlace: edit.payloadPlace)
        }
        return result == text ? nil : result
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
