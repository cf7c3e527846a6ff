import JSON
import Model

/// Payloads that are taken from text.
extension Resolver {
    /// Resolves the payload in a text.
    mutating func resolve(
        text: UnsafeRawBufferPointer, from origin: Origin, _ flaws: Entry.Flaws, _ scope: DictionaryScope
    ) -> Outcome {
        let format = scope.layout.format
        // A program that writes pairs may write some objects as well.
        if format.hasPairs, Self.beginsWithBrace(text) { return resolve(text, origin, flaws, scope) }
        switch TextPayload.find(format, in: text) {
        case .none: return withoutPayload(text, nil, flaws, scope)
        case .malformed(let reason): return withoutPayload(text, reason, flaws, scope)
        case .payload where format.hasPairs && flaws.contains(.cut):
            return withoutPayload(text, "cut at \(text.count) bytes, the limit for one field", flaws, scope)
        case .payload(let found):
            if isValueOfPrivateName(found.place?.lowerBound, in: text, scope) {
                return withoutPayload(text, nil, flaws, scope)
            }
            // The object is whole, even if its text is not.
            let flaws = flaws.contains(.cut) ? flaws.subtracting(.cut).union(.split) : flaws
            let payload = format.hasPairs ? typed(found.payload, origin, scope) : found.payload
            return payload.withUnsafeBytes { bytes in
                var outcome = resolve(bytes, origin, flaws, scope)
                let message = found.message(text)
                let redacted = scope.dictionary?.redaction.flatMap {
                    self.redacted(message, pairs: found.pairs, of: bytes, isStored: isStored, by: $0)
                }
                outcome.payload = outcome.payload ?? payload
                outcome.text = redacted ?? message
                return outcome
            }
        }
    }

    /// - Parameter reason: why the payload cannot be read; `nil` if there is none.
    private func withoutPayload(
        _ text: UnsafeRawBufferPointer, _ reason: String?, _ flaws: Entry.Flaws, _ scope: DictionaryScope
    ) -> Outcome {
        let findings = FindingsList(flaws)
        var outcome =
            reason.map { malformed(scope, $0, findings) }
            ?? Outcome(resolution: .plain, kind: scope.keyless, findings: findings.result)
        outcome.payload = scope.dictionary?.redaction?.redacted(malformed: text)
        return outcome
    }

    /// Whether the text before the place of an object ends with a protected name: `email={…}`.
    func isValueOfPrivateName(
        _ place: Int?, in text: UnsafeRawBufferPointer, _ scope: DictionaryScope
    ) -> Bool {
        guard let place, let redaction = scope.dictionary?.redaction else { return false }
        return redaction.firstValue(in: UnsafeRawBufferPointer(rebasing: text[..<place])) == place
    }

    /// Returns the payload with the values that read as the types of the definition as such values, instead of texts.
    private mutating func typed(_ payload: [UInt8], _ origin: Origin, _ scope: DictionaryScope) -> [UInt8] {
        payload.withUnsafeBytes { bytes in
            guard members.scan(bytes, limits: limits) == nil, let event = event(of: bytes, origin, scope) else {
                return payload
            }
            var (typed, end) = ([UInt8](), 0)
            for (member, hash) in zip(members.members, members.hashes) {
                let check = PayloadMembers.withKey(of: member, in: bytes) { event.payload.check(of: $0, hash: hash) }
                guard case .string = member.kind,
                    let value = check?.value(of: UnsafeRawBufferPointer(rebasing: bytes[member.content]))
                else { continue }
                typed += bytes[end..<member.value.lowerBound]
                typed += value
                end = member.value.upperBound
            }
            return typed + bytes[end...]
        }
    }

    // MARK: level and time

    /// - Parameter payload: its members are `members`.
    mutating func takeProgramFacts(
        from payload: UnsafeRawBufferPointer, _ layout: CompiledLayout, _ outcome: inout Outcome
    ) {
        if let level = scalar(at: layout.level, in: payload) {
            outcome.program.level = Level(ofProgram: level)
            if outcome.program.level == nil { outcome.warn(.programLevel) }
        }
        if let time = scalar(at: layout.time, in: payload) {
            outcome.program.timeMicroseconds = ProgramTime.microseconds(of: time)
            if outcome.program.timeMicroseconds == nil { outcome.warn(.programTime) }
        }
    }

    /// - Returns: the text of a value; `nil` if there is none, or it is null or empty.
    private mutating func scalar(at search: MemberSearch?, in payload: UnsafeRawBufferPointer) -> String? {
        guard let member = search?.member(in: payload, members, &outer) else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: payload[member.value])
        switch member.kind {
        case .null: return nil
        // No level and no time is that long.
        case .string:
            let content = UnsafeRawBufferPointer(rebasing: text.stringContent.prefix(256))
            return content.isEmpty ? nil : JSONScanner.text(of: content)
        case .number, .true, .false: return String(decoding: text.prefix(256), as: UTF8.self)
        case .object, .array: return ""
        }
    }
}

extension Resolver.Outcome {
    fileprivate mutating func warn(_ warning: Warning) {
        var findings = findings ?? Findings()
        findings.warnings.append(warning)
        self.findings = findings
    }
}

// MARK: privacy

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
    private func redacted(
        _ text: MessageText, pairs: [TextPairs.Pair], of payload: UnsafeRawBufferPointer, isStored: Bool,
        by redaction: Redaction
    ) -> MessageText? {
        let secrets = redaction.secrets(of: payload, members, isStored: isStored, except: keyPlaces)
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
        private let secrets: [[UInt8]]
        private var end = 0
        private(set) var result: [UInt8] = []
        var payloadPlace: Int?

        init(_ text: UnsafeRawBufferPointer, _ secrets: [[UInt8]]) {
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
            let kept = SecretSearch.replaced(secrets, in: Array(rest[..<start]))
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
