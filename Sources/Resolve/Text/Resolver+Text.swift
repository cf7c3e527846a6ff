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
        if format.hasPairs, text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            return resolve(text, origin, flaws, scope)
        }
        switch TextPayload.find(format, in: text) {
        case .none: return withoutPayload(text, nil, flaws, scope)
        case .malformed(let reason): return withoutPayload(text, reason, flaws, scope)
        case .payload where format.hasPairs && flaws.contains(.cut):
            return withoutPayload(text, "cut at \(text.count) bytes, the limit for one field", flaws, scope)
        case .payload(let found) where format.hasPairs: return resolve(found, in: text, origin, flaws, scope)
        case .payload(let found):
            // The object is whole, even if its text is not.
            let flaws = flaws.contains(.cut) ? flaws.subtracting(.cut).union(.split) : flaws
            return resolve(found, around: text, origin, flaws, scope)
        }
    }

    /// Resolves an object in a text.
    mutating func resolve(
        _ found: TextPayload, around text: UnsafeRawBufferPointer, _ origin: Origin, _ flaws: Entry.Flaws,
        _ scope: DictionaryScope
    ) -> Outcome {
        found.payload.withUnsafeBytes { bytes in
            var outcome = resolve(bytes, origin, flaws, scope)
            guard outcome.resolution.hasPayload else {
                return withoutPayload(text, outcome.findings?.reason, flaws, scope)
            }
            outcome.payload = outcome.payload ?? found.payload
            let message = found.message(text)
            outcome.text = message
            guard let redaction = scope.dictionary?.redaction, let place = message.payloadPlace else { return outcome }
            guard let redacted = redacted(message, around: place, bytes, by: redaction) else {
                return hidden(scope, "the name of a private parameter stands before the object", flaws)
            }
            outcome.text = redacted
            // Without its private values, an earlier object may be one.
            let payload = outcome.payload ?? found.payload
            let isFound = redacted == message || TextPayload.isFirst(payload, in: redacted)
            return isFound ? outcome : hidden(scope, "an object before this one has a private value", flaws)
        }
    }

    /// Resolves the pairs in a text.
    private mutating func resolve(
        _ found: TextPayload, in text: UnsafeRawBufferPointer, _ origin: Origin, _ flaws: Entry.Flaws,
        _ scope: DictionaryScope
    ) -> Outcome {
        var found = found
        found.payload = typed(found.payload, origin, scope)
        let redaction = scope.dictionary?.redaction
        var privacy = PairPrivacy.nowhere
        if let redaction {
            privacy = found.payload.withUnsafeBytes {
                self.privacy(of: found.pairs, in: text, $0, origin, scope, by: redaction)
            }
        }
        if privacy == .unclear {
            return hidden(
                scope, "a private value may be more than the value of its pair, or there are too many", flaws)
        }
        if privacy == .inValues, found.pairs.contains(where: { $0.value == nil }) {
            found = TextPayload(of: found.pairs.filter { $0.value != nil }, in: text)
            found.payload = typed(found.payload, origin, scope)
        }
        return found.payload.withUnsafeBytes { bytes in
            var outcome = resolve(bytes, origin, flaws, scope)
            guard outcome.resolution.hasPayload else {
                return withoutPayload(text, outcome.findings?.reason, flaws, scope)
            }
            outcome.payload = outcome.payload ?? found.payload
            if privacy == .inValues, let redaction {
                outcome.text = self.text(of: found.pairs, in: text, bytes, by: redaction)
            } else {
                outcome.text = found.message(text)
            }
            return outcome
        }
    }

    /// - Returns: an outcome that keeps nothing of the text.
    private func hidden(_ scope: DictionaryScope, _ reason: String, _ flaws: Entry.Flaws) -> Outcome {
        var outcome = malformed(scope, reason, FindingsList(flaws))
        outcome.payload = Placeholder.hiddenLine
        return outcome
    }

    /// - Parameter reason: why the payload cannot be read; `nil` if there is none.
    private func withoutPayload(
        _ text: UnsafeRawBufferPointer, _ reason: String?, _ flaws: Entry.Flaws, _ scope: DictionaryScope
    ) -> Outcome {
        let findings = FindingsList(flaws)
        var outcome =
            reason.map { malformed(scope, $0, findings) }
            ?? Outcome(resolution: .plain, kind: scope.keyless, findings: findings.result)
        outcome.payload = redacted(text, outcome.resolution, scope)
        return outcome
    }

    /// Returns a text without a payload and without private values; `nil` if it has none.
    func redacted(_ text: UnsafeRawBufferPointer, _ resolution: Resolution, _ scope: DictionaryScope) -> [UInt8]? {
        guard let redaction = scope.dictionary?.redaction else { return nil }
        let format = scope.layout.format
        guard resolution == .malformed, format != .json, !(format.hasPairs && Self.beginsWithBrace(text)) else {
            return redaction.redacted(malformed: text, hasObject: format == .jsonInText)
        }
        // Private values may be elsewhere as well.
        let json = format == .jsonInText ? MalformedText.startOfJSON(in: text, isWithin: true) : nil
        let values = redaction.values(in: text, json: json)
        if isStored, values.allSatisfy({ redaction.isDone($0, in: text) }) { return nil }
        return values.isEmpty ? nil : Placeholder.hiddenLine
    }

    /// Returns the payload with the values that read as the types of the definition as such values, instead of texts.
    private mutating func typed(_ payload: [UInt8], _ origin: Origin, _ scope: DictionaryScope) -> [UInt8] {
        payload.withUnsafeBytes { bytes in
            guard members.scan(bytes, limits: .payload) == nil, let event = event(of: bytes, origin, scope) else {
                return payload
            }
            var (typed, end) = ([UInt8](), 0)
            for (member, hash) in zip(members.members, members.hashes) {
                let check = PayloadMembers.withKey(of: member, in: bytes) { event.payload.check(of: $0, hash: hash) }
                let content = UnsafeRawBufferPointer(rebasing: bytes[member.content])
                let value =
                    switch member.kind {
                    case .string(hasEscapes: false): check?.value(of: content)
                    case .string(hasEscapes: true):
                        JSONScanner.unescape(content).withUnsafeBytes { check?.value(of: $0) }
                    default: [UInt8]?.none
                    }
                guard let value else { continue }
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
    private mutating func scalar(at search: PathSearch?, in payload: UnsafeRawBufferPointer) -> String? {
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
