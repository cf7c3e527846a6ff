import JSON
package import Model

/// Looks payloads up in dictionaries and checks them: a pure function with a cache for repeated data.
///
/// The resolution of a payload is the first of these that applies:
/// - `malformed`: a damaged entry; or it begins with `{` and was cut, or is not JSON within the limits
/// - `plain`: the first byte that is not white space is not `{`
/// - `unkeyed`: a part of the key is missing, or is not a string
/// - `undefined`: no dictionary covers its origin, or the one that does has no such definition
/// - `violating`, `resolved`: the result of the check
package struct Resolver: Sendable {
    /// The result for one payload.
    package struct Outcome: Sendable, Hashable {
        package var resolution: Resolution
        package var kind: EventKind
        /// The findings; `nil` when there are none.
        package var findings: Findings?
        /// The payload, if that is not what was resolved as it is: without its private values, or taken from a text.
        package var payload: [UInt8]?
        /// The text that the payload was taken from, without private values.
        package var text: MessageText?
        package var program = ProgramFacts.none
    }

    /// Why events of damaged entries are malformed.
    private static let damage = "a field of the entry is missing or cannot be read"

    private var scopes: ScopeTable
    var members = PayloadMembers()
    private var memory = CheckMemory()
    /// Memory for the members of objects that the key is in.
    var outer = PayloadMembers()
    /// Where the last payload has its key.
    var keyPlaces = KeyPlaces.none
    /// Whether the payload was stored: then any parameter may have a placeholder, even one that is public now.
    var isStored = false
    /// What was found in a stored payload.
    private var earlier: [Violation] = []

    /// - Parameters:
    ///   - dictionaries: the dictionaries. The first whose globs match an entry's subsystem and category is used.
    ///   - sources: where rules say something else about the layout of payloads, which applies to events that no dictionary
    ///     covers; by the texts of the rules.
    package init(
        dictionaries: [EventDictionary], sources: [ExactString: PayloadLayout] = [:], protection: Protection
    ) {
        scopes = ScopeTable(dictionaries, sources, protection)
    }

    /// Resolves all entries of a batch. Everything else in the batch is passed on, the bytes without a copy. Payloads that
    /// differ from them are appended after the others.
    package mutating func resolve(_ batch: consuming EntryBatch) -> ResolvedBatch {
        var events: [ResolvedEvent] = []
        events.reserveCapacity(batch.entries.count)
        var others: [UInt8] = []
        batch.bytes.withUnsafeBytes { bytes in
            for var entry in batch.entries {
                let payload = UnsafeRawBufferPointer(rebasing: bytes[entry.payload])
                let outcome = resolve(payload, from: entry.origin, flaws: entry.flaws)
                if let payload = outcome.payload {
                    let start = bytes.count + others.count
                    entry.payload = start..<start + payload.count
                    others += payload
                }
                events.append(
                    ResolvedEvent(
                        entry: entry, resolution: outcome.resolution, kind: outcome.kind, findings: outcome.findings,
                        text: outcome.text, program: outcome.program))
            }
        }
        return ResolvedBatch(
            bytes: others.isEmpty ? batch.bytes : batch.bytes + others, events: events, gaps: batch.gaps,
            progress: batch.progress, entriesRead: batch.entriesRead, entriesPassed: batch.entriesPassed,
            lastRealtimeMicroseconds: batch.lastRealtimeMicroseconds, reachedEnd: batch.reachedEnd,
            readUntilMicroseconds: batch.readUntilMicroseconds)
    }

    /// Resolves a stored event again with the current dictionaries.
    ///
    /// Values that were replaced when the event was first resolved cannot be checked again. The earlier findings about
    /// them are kept as far as they still violate the current definition. If a dictionary covers the event and has no
    /// definition of it, the event keeps its resolution, kind and findings; its payload may still be redacted.
    package mutating func reprocess(_ event: Event) -> Outcome {
        isStored = true
        earlier = event.findings?.violations ?? []
        defer { (isStored, earlier) = (false, []) }
        var flaws = Entry.Flaws.none
        for warning in event.findings?.warnings ?? [] {
            if warning == .cut { flaws.insert(.split) }
            if warning == .payloadField { flaws.insert(.otherField) }
            if warning == .senderCut { flaws.insert(.senderCut) }
        }
        let scope = scopes.scope(for: event.origin)
        // Why it is malformed may not show in what is left of it.
        if event.resolution == .malformed && !isWhole(event, flaws) || hasLostEnd(event, flaws, scope) {
            return Outcome(
                resolution: event.resolution, kind: scope.keyless,
                findings: scope.dictionary?.redaction?.redacted(event.findings) ?? event.findings,
                payload: event.payload.withUnsafeBytes { redacted($0, event.resolution, scope) })
        }
        var outcome = event.message.withUnsafeBytes { text in
            guard let object = keptObject(event, scope) else { return resolve(text, from: event.origin, flaws: flaws) }
            keyPlaces = .none
            return resolve(object, around: text, event.origin, flaws, scope)
        }
        if event.text != nil, outcome.payload == nil { outcome.payload = event.message }
        if let dictionary = scope.dictionary, outcome.resolution == .undefined || outcome.resolution == .unkeyed,
            hasFindingsAboutHiddenValues(event)
        {
            (outcome.resolution, outcome.kind) = (event.resolution, event.kind)
            outcome.findings = dictionary.redaction?.redacted(event.findings) ?? event.findings
        }
        return outcome
    }

    /// Whether a malformed event has all that came, so that it is read as if it came now.
    private func isWhole(_ event: Event, _ flaws: Entry.Flaws) -> Bool {
        !flaws.contains(.split) && event.findings?.reason != Self.damage && !Placeholder.mayBeWithin(event.payload)
    }

    /// Whether a payload of the format may be missing at the end of a text that had none so far.
    private func hasLostEnd(_ event: Event, _ flaws: Entry.Flaws, _ scope: DictionaryScope) -> Bool {
        guard event.text == nil, !event.resolution.hasPayload else { return false }
        let format = scope.layout.format
        return format.hasPairs && flaws.contains(.split) || format != .json && event.payload.hasCutEnd
    }

    /// Returns the object in a text whose end was cut for a private value: its pairs are not known any more.
    private func keptObject(_ event: Event, _ scope: DictionaryScope) -> TextPayload? {
        guard scope.layout.format.hasPairs, let text = event.text, let place = text.payloadPlace, text.bytes.hasCutEnd
        else { return nil }
        return TextPayload(payload: event.payload, place: place..<place + event.payload.count)
    }

    /// Whether anything was found about values that are no longer in the event, or that contain such values.
    private mutating func hasFindingsAboutHiddenValues(_ event: Event) -> Bool {
        guard !earlier.isEmpty else { return false }
        let hidden = event.payload.withUnsafeBytes { payload -> Set<ExactString> in
            guard members.scan(payload, limits: .payload) == nil else { return [] }
            return members.names(in: payload) { Placeholder.isOne($0) || Placeholder.isWithin($0) }
        }
        return earlier.contains { violation in
            (violation.rule.isAboutValues && hidden.contains(violation.parameter))
                || hidden.contains { violation.isWithin($0.text) }
        }
    }

    /// Resolves one payload, or the text that has it.
    package mutating func resolve(
        _ payload: UnsafeRawBufferPointer, from origin: Origin, flaws: Entry.Flaws = .none
    ) -> Outcome {
        let scope = scopes.scope(for: origin)
        if flaws.contains(.continued), scope.dictionary?.redaction != nil {
            // It may begin within a private value, or within its name.
            return Outcome(
                resolution: .plain, kind: scope.keyless, findings: FindingsList(flaws).result,
                payload: Placeholder.hiddenLine)
        }
        keyPlaces = .none
        if scope.layout.format != .json, !flaws.contains(.damaged) {
            return resolve(text: payload, from: origin, flaws, scope)
        }
        return resolve(payload, origin, flaws, scope)
    }

    mutating func resolve(
        _ payload: UnsafeRawBufferPointer, _ origin: Origin, _ flaws: Entry.Flaws, _ scope: DictionaryScope
    ) -> Outcome {
        var outcome = outcome(of: payload, origin, scope, flaws)
        if scope.layout.hasProgramFacts, outcome.resolution.hasPayload {
            takeProgramFacts(from: payload, scope.layout, &outcome)
        }
        if let redaction = scope.dictionary?.redaction {
            outcome.payload = redacted(payload, outcome.resolution, isStored: isStored, by: redaction)
            outcome.findings = redaction.redacted(outcome.findings) ?? outcome.findings
        }
        return outcome
    }

    /// Returns a stored event in the form that may leave the machine by the current dictionaries; `nil` when it may leave
    /// unchanged. If a text with a payload may not, the event leaves as reprocessing will store it.
    package mutating func redacted(_ event: Event) -> Event? {
        let scope = scopes.scope(for: event.origin)
        guard let redaction = scope.dictionary?.redaction else { return nil }
        var result = event
        result.program = scope.layout.redacted(event.program)
        result.findings = redaction.redacted(event.findings) ?? event.findings
        if event.resolution.hasPayload && event.text == nil {
            event.payload.withUnsafeBytes { payload in
                let isObject = members.scan(payload, limits: .payload) == nil
                keyPlaces = .none
                if isObject { _ = key(in: payload, event.origin, scope) }
                let resolution = isObject ? event.resolution : .malformed
                result.payload = redacted(payload, resolution, isStored: true, by: redaction) ?? event.payload
            }
        } else if event.text == nil {
            isStored = true
            defer { isStored = false }
            result.payload = event.payload.withUnsafeBytes { redacted($0, event.resolution, scope) } ?? event.payload
        }
        // What a text with a payload may keep shows when it is read again.
        if event.text != nil || scope.layout.format != .json {
            let outcome = reprocess(event)
            let (payload, text) = (outcome.payload ?? event.payload, outcome.text)
            let isKept = event.text == nil ? text?.whole(with: payload) ?? payload == event.payload : text == event.text
            guard isKept, event.text == nil || payload == event.payload else { return event.replaced(by: outcome) }
        }
        let isSame = result.payload == event.payload && result.program == event.program
        return isSame && result.findings == event.findings ? nil : result
    }

    /// - Precondition: `members` and `keyPlaces` are those of the payload, if it is an object.
    func redacted(
        _ payload: UnsafeRawBufferPointer, _ resolution: Resolution, isStored: Bool, by redaction: Redaction
    ) -> [UInt8]? {
        switch resolution {
        // A line that is not JSON may be a part of a JSON text.
        case .plain, .malformed: redaction.redacted(malformed: payload)
        case .resolved, .violating, .undefined, .unkeyed:
            redaction.redacted(payload, members, isStored: isStored, except: keyPlaces)
        }
    }

    private mutating func outcome(
        of payload: UnsafeRawBufferPointer, _ origin: Origin, _ scope: DictionaryScope, _ flaws: Entry.Flaws
    ) -> Outcome {
        var findings = FindingsList(flaws)
        if flaws.contains(.damaged) {
            return malformed(scope, Self.damage, findings)
        }
        guard Self.beginsWithBrace(payload) else {
            return Outcome(resolution: .plain, kind: scope.keyless, findings: findings.result)
        }
        if flaws.contains(.cut) {
            return malformed(scope, "cut at \(payload.count) bytes, the limit for one field", findings)
        }
        if let error = members.scan(payload, limits: .payload) {
            let split = flaws.contains(.split) ? "the line was split at \(payload.count) bytes; " : ""
            return malformed(scope, split + error.description, findings)
        }
        for index in members.repeated {
            findings.warn(.duplicateKey(ExactString(FindingsList.name(of: members.members[index], in: payload))))
        }
        return resolveMembers(of: payload, origin, scope, findings)
    }

    /// Resolves a payload whose members have been scanned.
    private mutating func resolveMembers(
        of payload: UnsafeRawBufferPointer, _ origin: Origin, _ scope: DictionaryScope, _ findings: FindingsList
    ) -> Outcome {
        guard let key = key(in: payload, origin, scope) else {
            return Outcome(resolution: .unkeyed, kind: scope.keyless, findings: findings.result)
        }
        return key.withBytes(in: payload) { category, name in
            resolve(payload, category: category, name: name, scope, findings)
        }
    }

    /// Returns the definition of a payload whose members have been scanned.
    mutating func event(
        of payload: UnsafeRawBufferPointer, _ origin: Origin, _ scope: DictionaryScope
    ) -> CompiledDictionary.Event? {
        guard let dictionary = scope.dictionary, let key = key(in: payload, origin, scope) else { return nil }
        return key.withBytes(in: payload) { category, name in dictionary.event(category: category, name: name) }
    }

    /// Finds the key, and notes where the payload has it.
    /// - Returns: `nil` if a part is missing, or is not a string.
    mutating func key(
        in payload: UnsafeRawBufferPointer, _ origin: Origin, _ scope: DictionaryScope
    ) -> FoundKey? {
        let (category, name) = scope.layout.key(in: payload, members, origin, &outer)
        keyPlaces = KeyPlaces(category: category?.place, name: name?.place)
        guard let category, let name else { return nil }
        return FoundKey(category: category, name: name)
    }

    /// - Parameter category: `nil` if the name alone finds the definition.
    private mutating func resolve(
        _ payload: UnsafeRawBufferPointer, category: UnsafeRawBufferPointer?, name: UnsafeRawBufferPointer,
        _ scope: DictionaryScope, _ findings: FindingsList
    ) -> Outcome {
        guard let event = scope.dictionary?.event(category: category, name: name) else {
            return undefined(category: category, name: name, scope, findings)
        }
        var memory = CheckMemory()
        swap(&memory, &self.memory)
        var check = PayloadCheck(
            payload: payload, layout: scope.layout, keyPlaces: keyPlaces, admitsPlaceholders: isStored,
            earlier: earlier, findings: findings, memory: consume memory)
        check.run(members, against: event)
        let outcome = Outcome(
            resolution: check.findings.hasViolations ? .violating : .resolved, kind: event.kind,
            findings: check.findings.result)
        self.memory = check.takeMemory()
        return outcome
    }

    private mutating func undefined(
        category: UnsafeRawBufferPointer?, name: UnsafeRawBufferPointer, _ scope: DictionaryScope,
        _ findings: FindingsList
    ) -> Outcome {
        var kind = scopes.undefined(category: category ?? .init(start: nil, count: 0), name: name, scope)
        var findings = findings
        if let key = kind.key, let place = scope.dictionary?.error(of: key, byName: category == nil) {
            // Reports find the error by the key in payloads.
            findings.fail(EventDictionary.fault(at: place))
        } else if let category = scope.categoryOfRule {
            kind = category.withUnsafeBytes { scopes.undefined(category: $0, name: name, scope) }
        }
        return Outcome(resolution: .undefined, kind: kind, findings: findings.result)
    }

    func malformed(_ scope: DictionaryScope, _ reason: String, _ findings: FindingsList) -> Outcome {
        var findings = findings
        findings.fail(reason)
        return Outcome(resolution: .malformed, kind: scope.keyless, findings: findings.result)
    }

    static func beginsWithBrace(_ payload: UnsafeRawBufferPointer) -> Bool {
        for byte in payload where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
            return byte == UInt8(ascii: "{")
        }
        return false
    }
}

extension Event {
    fileprivate func replaced(by outcome: Resolver.Outcome) -> Event {
        var event = self
        (event.resolution, event.kind, event.findings) = (outcome.resolution, outcome.kind, outcome.findings)
        (event.payload, event.text, event.program) = (outcome.payload ?? payload, outcome.text, outcome.program)
        return event
    }
}

extension [UInt8] {
    /// Whether what followed the last private name was removed.
    fileprivate var hasCutEnd: Bool { suffix(Placeholder.hidden.count) == Placeholder.hidden[...] }
}
