import Model

/// Converts a file's entry to an `Entry`, if a rule takes it.
///
/// For most entries, this is one table lookup for each field: the meaning of a field is known by its place, and the
/// rules' decision for the decisive fields is known from an earlier entry. Bytes are read only of fields that occur for
/// the first or second time and, once a rule has taken the entry, of the payload. Everything that is used is verified
/// by its hash.
struct EntryReader: ~Copyable {
    enum Outcome {
        /// No rule takes it.
        case skipped
        /// A rule took it; it is the batch's last entry.
        case taken
        /// No rule takes it, but it has a field that cannot be read: with that field, a rule might have.
        case damaged
    }

    /// The most bytes of all names together that a client may repeat at will.
    private static let maximumNamesBytes = 8192
    /// The most streams whose last entry was split. More streams at a time would all have lines longer than 48 KiB.
    private static let maximumSplitStreams = 256
    /// Fields with unknown names are verified up to this length, since the name may be damaged.
    private static let maximumVerifiedBytes = 192
    /// The most names that are remembered; fields with other unknown names are verified each time.
    private static let maximumNames = 512

    private var rules: CompiledRules
    private let maximumFieldBytes: Int
    private let entryKey: ID128
    private var fields = FieldReader()
    private var meanings = FieldMeanings()
    private var decisions = DecisionCache()
    private var origins = OriginCache()
    /// The names of the rules' fields, followed by other names from fields that were verified.
    private var names: FieldTable
    /// The hashes of the `_STREAM_ID`s, the newest last.
    private var splitStreams: [Int] = []

    // The results of the current entry's fields so far, in memory that is reused.
    /// The offsets of fields that were not known.
    private var others: [UInt64] = []
    private var decisive: [FieldMeanings.Number] = []
    /// The contents that no earlier entry had: decisions from them are not remembered.
    private var newContents: [FieldContent] = []
    private var payloads: [UInt64?]
    private var level: Level?
    private var pid: Int32?
    private var isSplit = false
    private var isDamaged = false
    private var hasStream = false
    private var loss: LossMessage?
    private var nameBytes = 0

    /// - Parameter entryKey: the key of `Entry.entryHash`.
    init(rules: [SourceRule], maximumFieldBytes: Int, entryKey: ID128) {
        self.entryKey = entryKey
        self.rules = CompiledRules(rules)
        names = self.rules.names
        self.maximumFieldBytes = max(1, maximumFieldBytes)
        payloads = Array(repeating: nil, count: self.rules.payloadCount)
    }

    /// Uses other rules from the next entry on.
    mutating func use(_ rules: [SourceRule]) {
        self.rules = CompiledRules(rules)
        names = self.rules.names
        payloads = Array(repeating: nil, count: self.rules.payloadCount)
        forgetMeanings()
    }

    /// Forgets all meanings, since files may get numbers that others had.
    mutating func forgetMeanings() {
        meanings.forgetAll()
        decisions.removeAll()
    }

    /// - Parameter entry: the last entry that `file` returned.
    /// - Throws: `FormatError` when the file cannot be read; then `batch` is unchanged, and the entry may be read again.
    @inline(__always)
    mutating func read<Source>(
        _ entry: EntryHead, of file: inout FileReading<Source>, into batch: inout EntryBatch
    ) throws(FormatError) -> Outcome {
        guard try gather(entry, of: &file) else { return .damaged }
        let stream = hasStream && (isSplit || !splitStreams.isEmpty) ? try stream(of: entry, &file) : nil
        var lossGap: Gap?
        if let loss { lossGap = try gap(loss, of: entry, &file, index: batch.entries.count) }
        let known =
            newContents.isEmpty
            ? decisions.decision(for: decisive, bootID: entry.bootID, seqnumID: file.header.seqnumID) : nil
        let decision = known ?? decide(entry, file.header)
        guard let rule = decision.rule, let origin = decision.origin else {
            if let stream { follow(stream) }
            if let lossGap { batch.gaps.append(lossGap) }
            return isDamaged ? .damaged : .skipped
        }

        var flaws = decision.flaws
        if isSplit { flaws.insert(.split) }
        if let stream, splitStreams.contains(stream) { flaws.insert(.continued) }
        if isDamaged { flaws.insert(.damaged) }
        let start = batch.bytes.count
        flaws.formUnion(try copyPayload(for: rule, decision, &file, into: &batch.bytes))
        // From here on nothing can fail.
        if let stream { follow(stream) }
        if known == nil { batch.originBytes += origin.textBytes }
        if let lossGap { batch.gaps.append(lossGap) }
        batch.entries.append(
            Entry(
                origin: origin, level: level ?? .default, pid: pid, seqnum: entry.seqnum,
                monotonicMicroseconds: entry.monotonicMicroseconds, realtimeMicroseconds: entry.realtimeMicroseconds,
                entryHash: entry.hash(entryKey), payload: start..<batch.bytes.count, flaws: flaws))
        return .taken
    }

    // MARK: The entry's fields

    /// - Returns: `false` when the file no longer has the entry.
    @inline(__always)
    private mutating func gather<Source>(
        _ entry: EntryHead, of file: inout FileReading<Source>
    ) throws(FormatError) -> Bool {
        for _ in 0..<2 {
            let generation = meanings.generation
            reset()
            isDamaged = entry.isDamaged
            guard try noteKnown(entry, of: &file) else { return false }
            for index in 0..<others.count { try noteOther(at: others[index], &file) }
            // Numbers that were forgotten in between have another meaning now.
            if meanings.generation == generation { return true }
            decisions.removeAll()
        }
        // The names do not fit even into an empty table.
        reset()
        isDamaged = true
        return true
    }

    /// Collects the meanings of the entry's fields up to the first unknown one. The rest goes into `others`.
    @inline(__always)
    private mutating func noteKnown<Source>(
        _ entry: EntryHead, of file: inout FileReading<Source>
    ) throws(FormatError) -> Bool {
        let (number, newFrom, count) = (file.number, file.newFrom, file.walk.itemCount(of: entry))
        return try file.withItems(of: entry) { item in
            var index = 0
            while index < count {
                let offset = item(index)
                // Fields that were written for this entry belong to no other entry yet.
                guard offset < newFrom, let meaning = meanings.number(file: number, offset: offset) else { break }
                note(meaning, at: offset)
                index += 1
            }
            while index < count {
                others.append(item(index))
                index += 1
            }
        }
    }

    @inline(__always)
    private mutating func noteOther<Source>(
        at offset: UInt64, _ file: inout FileReading<Source>
    ) throws(FormatError) {
        if offset < file.newFrom {
            if let number = meanings.number(file: file.number, offset: offset) { return note(number, at: offset) }
        } else if let index = file.withField(at: offset, { names.find($0)?.index }) {
            // The name alone is enough for now.
            guard index < rules.fields.count else { return }
            if !rules.fields[index].isReadForMeaning, let payload = rules.fields[index].payload {
                if payloads[payload] == nil { payloads[payload] = offset }
                return
            }
        }
        try look(at: offset, &file)
    }

    @inline(__always)
    private mutating func reset() {
        decisive.removeAll(keepingCapacity: true)
        if !newContents.isEmpty { newContents.removeAll(keepingCapacity: true) }
        others.removeAll(keepingCapacity: true)
        for index in payloads.indices { payloads[index] = nil }
        level = nil
        pid = nil
        isSplit = false
        isDamaged = false
        hasStream = false
        loss = nil
        nameBytes = 0
    }

    @inline(__always)
    private mutating func note(_ number: FieldMeanings.Number, at offset: UInt64) {
        if number.isOnlyDecisive {
            decisive.append(number)
        } else if !number.isIgnored {
            note(meanings[number], number, at: offset)
        }
    }

    @inline(__always)
    private mutating func note(_ meaning: FieldMeaning, _ number: FieldMeanings.Number?, at offset: UInt64) {
        if let number, meaning.isDecisive { decisive.append(number) }
        if let payload = meaning.payload, payloads[payload] == nil { payloads[payload] = offset }
        if level == nil { level = meaning.level }
        if pid == nil { pid = meaning.pid }
        if loss == nil { loss = meaning.loss }
        if meaning.isSplit { isSplit = true }
        if meaning.isDamaged { isDamaged = true }
        if meaning.isStream { hasStream = true }
    }

    // MARK: What a field means

    /// Reads an unknown field and collects its meaning. The meaning is remembered from the second entry on that has the
    /// field.
    @inline(never)
    private mutating func look<Source>(at offset: UInt64, _ file: inout FileReading<Source>) throws(FormatError) {
        let room = Self.maximumNamesBytes - nameBytes
        var (meaning, content) = (FieldMeaning(), FieldContent?.none)
        var newName: [UInt8]?
        do throws(FieldReader.Failure) {
            _ = try file.read(
                at: offset, by: &fields, limit: maximumFieldBytes + FieldReader.longestName,
                isWanted: { beginning in
                    beginning.withUnsafeBytes { bytes in
                        guard let (index, _) = names.find(bytes) else {
                            return bytes.count <= Self.maximumVerifiedBytes
                        }
                        guard index < rules.fields.count else { return false }
                        meaning.payload = rules.fields[index].payload
                        return rules.fields[index].isReadForMeaning
                    }
                },
                body: { field, _ in
                    field.withUnsafeBytes { bytes in
                        guard let (index, valueOffset) = names.find(bytes) else {
                            newName = Self.name(bytes)
                            return
                        }
                        let value = UnsafeRawBufferPointer(rebasing: bytes[valueOffset...])
                        (meaning, content) = rules.meaning(of: index, value, room: room)
                    }
                })
        } catch {
            switch error {
            case .damaged: (meaning, content) = (FieldMeaning(isDamaged: true), nil)
            case .file(let error): throw error
            }
        }
        if let newName, names.count < Self.maximumNames { newName.withUnsafeBytes { names.add($0) } }
        nameBytes += content?.name.count ?? 0
        var number: FieldMeanings.Number?
        // A name that did not fit for this entry is kept for the next one.
        if offset < file.newFrom, room > 0 {
            let found = meanings.number(of: meaning, content)
            number = found
            meanings.remember(found, file: file.number, offset: offset)
        } else if let content {
            number = .new(newContents.count)
            newContents.append(content)
        }
        note(meaning, number, at: offset)
    }

    /// Returns the name with its `=`; `nil` if the field has none.
    private static func name(_ field: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let end = field.prefix(FieldReader.longestName).firstIndex(of: UInt8(ascii: "=")), end > 0 else {
            return nil
        }
        return Array(field[...end])
    }

    private mutating func decide(_ entry: EntryHead, _ header: FileHeader) -> Decision {
        let contents = decisive.compactMap { number in
            number.newPlace.map { newContents[$0] } ?? meanings.content(number)
        }
        var decision = rules.decide(contents, bootID: entry.bootID, seqnumID: header.seqnumID)
        if let origin = decision.origin { decision.origin = origins.shared(origin) }
        if newContents.isEmpty {
            decisions.insert(decision, for: decisive, bootID: entry.bootID, seqnumID: header.seqnumID)
        }
        return decision
    }

    // MARK: Values

    /// Copies the first payload that the rule names and that is not empty, or else MESSAGE.
    /// - Returns: its flaws.
    private mutating func copyPayload<Source>(
        for rule: Int, _ decision: Decision, _ file: inout FileReading<Source>, into bytes: inout [UInt8]
    ) throws(FormatError) -> Entry.Flaws {
        let (wanted, start) = (rules.rules[rule].payloads, bytes.count)
        for payload in wanted {
            guard let place = payloads[payload] else { continue }
            let flaws = try copy(at: place, &file, into: &bytes)
            if bytes.count > start || flaws.contains(.damaged) { return flaws }
        }
        if let place = payloads[rules.message] {
            if wanted.contains(rules.message) { return .none }
            return try copy(at: place, &file, into: &bytes).union(.otherField)
        }
        return decision.hasSubsystem ? .damaged : .none
    }

    /// Copies a field's value, up to the length that an event may have.
    /// - Returns: its flaws.
    @inline(__always)
    private mutating func copy<Source>(
        at offset: UInt64, _ file: inout FileReading<Source>, into bytes: inout [UInt8]
    ) throws(FormatError) -> Entry.Flaws {
        let start = bytes.count
        let limit = maximumFieldBytes
        do throws(FieldReader.Failure) {
            let isCut = try file.read(
                at: offset, by: &fields, limit: limit + FieldReader.longestName, isWanted: { _ in true },
                body: { field, isCut in
                    field.withUnsafeBytes { field in
                        let value = field[(names.find(field)?.valueOffset ?? 0)...]
                        bytes.makeRoom(for: min(value.count, limit))
                        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: value.prefix(limit)))
                        return isCut || value.count > limit
                    }
                })
            return isCut == true ? .cut : .none
        } catch {
            bytes.removeLast(bytes.count - start)
            guard case .damaged = error else {
                guard case .file(let error) = error else { return .none }
                throw error
            }
            return .damaged
        }
    }

    /// Returns the value of the entry's first field with that name, or its beginning; `nil` when it has none that can
    /// be read.
    private mutating func value<Source>(
        of name: String, of entry: EntryHead, limit: Int, _ file: inout FileReading<Source>
    ) throws(FormatError) -> [UInt8]? {
        let name = Array("\(name)=".utf8)
        for offset in try file.items(of: entry) ?? [] {
            do throws(FieldReader.Failure) {
                let value = try file.read(
                    at: offset, by: &fields, limit: limit + name.count,
                    isWanted: { field in field.withUnsafeBytes { $0.starts(with: name) } },
                    body: { field, _ in field.withUnsafeBytes { Array($0.dropFirst(name.count)) } })
                if let value { return value }
            } catch {
                if case .file(let error) = error { throw error }
            }
        }
        return nil
    }

    /// Returns the hash of the `_STREAM_ID`: which stream of output the entry is from.
    private mutating func stream<Source>(
        of entry: EntryHead, _ file: inout FileReading<Source>
    ) throws(FormatError) -> Int? {
        try value(of: "_STREAM_ID", of: entry, limit: 64, &file)?.hashValue
    }

    /// Notes whether the entry is split, for the next one of its stream: journald marks where it splits a line, but not where the
    /// line continues.
    private mutating func follow(_ stream: Int) {
        splitStreams.removeAll { $0 == stream }
        guard isSplit else { return }
        if splitStreams.count >= Self.maximumSplitStreams { splitStreams.removeFirst() }
        splitStreams.append(stream)
    }

    /// - Returns: `nil` for an entry that is not from journald itself: any client may write a `MESSAGE_ID`, but only
    ///   journald writes the transport `driver`.
    private mutating func gap<Source>(
        _ loss: LossMessage, of entry: EntryHead, _ file: inout FileReading<Source>, index: Int
    ) throws(FormatError) -> Gap? {
        guard try value(of: "_TRANSPORT", of: entry, limit: 64, &file) == Array("driver".utf8) else { return nil }
        let message = String(decoding: try value(of: "MESSAGE", of: entry, limit: 500, &file) ?? [], as: UTF8.self)
        let dropped = try value(of: "N_DROPPED", of: entry, limit: 32, &file)
        return loss.gap(message: message, dropped: dropped, at: entry.cursor(file.header.seqnumID), entryIndex: index)
    }
}

extension [UInt8] {
    /// Grows in small steps instead of doubling its size.
    fileprivate mutating func makeRoom(for length: Int) {
        guard capacity - count < length else { return }
        reserveCapacity(count + Swift.max(length, 64 << 10))
    }
}
