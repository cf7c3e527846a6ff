import Model

/// Turns the journal's current entry into an `Entry`, if a rule takes it. One pass over the fields, in whatever order
/// they come; what the entry leaves behind is overwritten by the next one, so that an entry that no rule takes
/// allocates nothing.
struct EntryDecoder {
    /// Longer subsystems, host names and the like are cut off here.
    private static let maximumNameBytes = 1024
    /// Of all the names together that a client may repeat at will.
    private static let maximumNamesBytes = 8192

    private struct Payload {
        var bytes = 0..<0
        var isPresent = false
        var isCut = false
    }

    private var rules: CompiledRules
    private let maximumFieldBytes: Int
    private var origins = OriginCache()
    /// Streams whose last entry was split, the newest last.
    private var splitStreams: [Int] = []
    /// Of them; who has more at a time has lines of 48 KiB in all of them.
    private static let maximumSplitStreams = 256

    // What the fields of the current entry gave so far.
    private var names = OriginNames()
    private var fits: [Bool]
    private var payloads: [Payload]
    private var hasSubsystem = false
    private var hasCategory = false
    private var level: Level?
    private var pid: Int32?
    private var flaws: Entry.Flaws = []
    private var loss: LossMessage?
    /// What `_STREAM_ID` hashes to.
    private var stream: Int?

    /// - Parameter before: what read the entries before, by other rules.
    init(rules: [SourceRule], maximumFieldBytes: Int, after before: EntryDecoder? = nil) {
        self.rules = CompiledRules(rules)
        self.maximumFieldBytes = max(1, maximumFieldBytes)
        splitStreams = before?.splitStreams ?? []
        fits = Array(repeating: false, count: self.rules.groups.count)
        payloads = Array(repeating: Payload(), count: self.rules.payloadCount)
    }

    /// Appends the current entry to `batch` if a rule takes it, and a gap if it is journald's word that it lost
    /// something.
    /// - Throws: `JournalError` when the entry cannot be read; `batch` is as before then.
    mutating func read(_ journal: borrowing JournalHandle, into batch: inout EntryBatch) throws(JournalError) {
        let start = batch.bytes.count
        reset()
        do {
            try journal.forEachField { note($0, &batch.bytes) }
            if let stream { followStream(stream) }
            let rule = firstFit()
            if rule == nil && loss == nil { return batch.bytes.truncate(to: start) }
            let cursor = try journal.cursor()
            if let gap = loss?.gap(in: journal, at: cursor, entryIndex: batch.entries.count) { batch.gaps.append(gap) }
            guard let rule else { return batch.bytes.truncate(to: start) }
            batch.entries.append(entry(takenBy: rule, cursor, start: start, bytes: &batch.bytes))
        } catch {
            batch.bytes.truncate(to: start)
            throw error
        }
    }

    private mutating func reset() {
        names.removeAll()
        for index in fits.indices { fits[index] = false }
        for index in payloads.indices { payloads[index].isPresent = false }
        hasSubsystem = false
        hasCategory = false
        level = nil
        pid = nil
        flaws = Entry.Flaws(rawValue: 0)
        loss = nil
        stream = nil
    }

    /// journald says where it split a line, but not where one goes on.
    private mutating func followStream(_ stream: Int) {
        if let place = splitStreams.firstIndex(of: stream) {
            splitStreams.remove(at: place)
            flaws.insert(.continued)
        }
        guard flaws.contains(.split) else { return }
        if splitStreams.count >= Self.maximumSplitStreams { splitStreams.removeFirst() }
        splitStreams.append(stream)
    }

    // MARK: Fields

    @inline(__always)
    private mutating func note(_ field: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) {
        guard let (index, offset) = rules.table.find(field) else { return }
        let all = UnsafeRawBufferPointer(rebasing: field[offset...])
        let value = UnsafeRawBufferPointer(rebasing: all.prefix(maximumFieldBytes))
        note(value, isCut: value.count < all.count, field: index, &bytes)
    }

    private mutating func note(_ value: UnsafeRawBufferPointer, isCut: Bool, field: Int, _ bytes: inout [UInt8]) {
        switch rules.fields[field].role {
        case .none: break
        case .subsystem:
            hasSubsystem = true
            noteName(value, field)
        case .category:
            hasCategory = true
            noteName(value, field)
        case .origin: noteName(value, field)
        case .priority:
            if level == nil { level = Self.level(value) }
        case .pid:
            if pid == nil { pid = Int32(decimal: value) }
        case .lineBreak:
            // The others, nul and eof, are ends of lines.
            if value.elementsEqual("line-max".utf8) || value.elementsEqual("pid-change".utf8) { flaws.insert(.split) }
        case .stream:
            var hasher = Hasher()
            hasher.combine(bytes: value)
            stream = hasher.finalize()
        case .messageID:
            if let message = LossMessage(messageID: value) { loss = message }
        }
        for group in rules.fields[field].groups where !fits[group] {
            fits[group] = rules.groups[group].globs.contains { $0.matches(value) }
        }
        // The payload is copied before it is known whether a rule takes the entry: its memory dies with the next field.
        if let payload = rules.fields[field].payload, !payloads[payload].isPresent {
            payloads[payload] = Payload(
                bytes: bytes.count..<bytes.count + value.count, isPresent: true, isCut: isCut)
            bytes.append(contentsOf: value)
        }
    }

    private mutating func noteName(_ value: UnsafeRawBufferPointer, _ field: Int) {
        let isRepeatable = rules.fields[field].role != .origin || field == CompiledRules.identifier
        if isRepeatable && names.count > Self.maximumNamesBytes { return }
        let name = UnsafeRawBufferPointer(rebasing: value.prefix(Self.maximumNameBytes))
        if name.count < value.count { flaws.insert(.cut) }
        names.append(name, field: field)
    }

    private static func level(_ value: UnsafeRawBufferPointer) -> Level {
        guard value.count == 1, value[0] >= UInt8(ascii: "0") else { return .default }
        return Level(rawValue: value[0] - UInt8(ascii: "0")) ?? .default
    }

    // MARK: The entry

    /// The rule that takes the entry; `nil` when none does, or the first that fits is one that excludes.
    private func firstFit() -> Int? {
        let first = rules.rules.firstIndex { rule in
            if rule.needsSubsystem && !hasSubsystem { return false }
            return rule.groups.allSatisfy { fits[$0] || (!hasCategory && rules.groups[$0].fitsAbsence) }
        }
        return first.flatMap { rules.rules[$0].source.excludes ? nil : $0 }
    }

    private mutating func entry(
        takenBy index: Int, _ cursor: JournalCursor, start: Int, bytes: inout [UInt8]
    ) -> Entry {
        let rule = rules.rules[index]
        var payload = payloads[rule.payload]
        // An empty field of another name says no more than none.
        if rule.payload != rules.message, payload.bytes.isEmpty { payload.isPresent = false }
        if !payload.isPresent, payloads[rules.message].isPresent {
            payload = payloads[rules.message]
            flaws.insert(.otherField)
        }
        let range = bytes.keepOnly(payload.isPresent ? payload.bytes : start..<start, from: start)
        if payload.isPresent && payload.isCut { flaws.insert(.cut) }
        if !payload.isPresent && hasSubsystem { flaws.insert(.damaged) }
        names.finish(rule: index, cursor)
        let origin = origins.origin(for: names.key) ?? makeOrigin(rule, cursor)
        return Entry(
            origin: origin, level: level ?? .default, pid: pid, seqnum: cursor.seqnum,
            monotonicMicroseconds: cursor.monotonicMicroseconds, realtimeMicroseconds: cursor.realtimeMicroseconds,
            xorHash: cursor.xorHash, payload: range, flaws: flaws)
    }

    private mutating func makeOrigin(_ rule: CompiledRules.Rule, _ cursor: JournalCursor) -> Origin {
        let origin = Origin(
            subsystem: rule.source.name?.subsystem ?? name(CompiledRules.subsystem, rule) ?? "",
            category: rule.source.name?.category ?? name(CompiledRules.category, rule) ?? "",
            host: names.values(of: CompiledRules.host).first ?? "",
            bootID: cursor.bootID, seqnumID: cursor.seqnumID,
            identifier: names.values(of: CompiledRules.identifier).first,
            unit: names.values(of: CompiledRules.unit).first,
            processUID: names.values(of: CompiledRules.processUID).first.flatMap { UInt32($0) },
            source: rule.source.text)
        origins.insert(origin, for: names.key)
        return origin
    }

    /// Of several values the first that the rule asks for, else the first.
    private func name(_ field: Int, _ rule: CompiledRules.Rule) -> String? {
        let values = names.values(of: field)
        guard values.count > 1, let group = rules.fields[field].groups.first(where: rule.groups.contains) else {
            return values.first
        }
        return values.first { value in rules.groups[group].globs.contains { $0.matches(value) } } ?? values.first
    }
}

extension [UInt8] {
    fileprivate mutating func truncate(to count: Int) {
        removeLast(self.count - count)
    }

    /// Removes what is behind `start` but for `kept`, and says where that is now.
    fileprivate mutating func keepOnly(_ kept: Range<Int>, from start: Int) -> Range<Int> {
        truncate(to: kept.upperBound)
        if kept.lowerBound > start { removeSubrange(start..<kept.lowerBound) }
        return start..<start + kept.count
    }
}

extension FixedWidthInteger {
    /// - Returns: `nil` unless all of `text` is one decimal number.
    init?(decimal text: some Collection<UInt8>) {
        guard !text.isEmpty else { return nil }
        var number = Self.zero
        for digit in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(Self(digit - UInt8(ascii: "0")))
            if isTooLarge || isStillTooLarge { return nil }
            number = sum
        }
        self = number
    }
}
