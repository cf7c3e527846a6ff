import Model

/// The meaning of a file's field for the rules. It is computed once for all entries that share the field:
/// `SUBSYSTEM=com.example.shop` is one object in the whole file.
struct FieldMeaning: Sendable, Hashable {
    /// Whether it affects the choice of a rule and an origin, by its content in `FieldMeanings.content`.
    var isDecisive = false
    /// The index of the payload field, if it is one.
    var payload: Int?
    var level: Level?
    var pid: Int32?
    /// Whether it says that a line was split here.
    var isSplit = false
    var isStream = false
    var loss: LossMessage?
    /// Whether its bytes differ from those that were written.
    var isDamaged = false
}

/// The content of a decisive field.
struct FieldContent: Sendable, Hashable {
    /// The index in `CompiledRules.fields`.
    var field: Int
    /// The groups of conditions that the value matches.
    var fits: [Int]
    /// The value or its beginning, if an event has it as a name; otherwise empty.
    var name: [UInt8] = []
    /// Whether `name` is not the whole value.
    var isNameCut = false
}

/// The known meanings, each once with a number, and the meanings of the fields in files.
///
/// Its memory is bounded: when it reaches the limit, it forgets everything.
struct FieldMeanings {
    /// The number of a meaning.
    struct Number: Sendable, Hashable {
        fileprivate(set) var index: UInt32
        /// Whether it affects the choice of rules and nothing else.
        fileprivate(set) var isOnlyDecisive = false

        /// Returns the number of a decisive field that no earlier entry had: its index among those of the current
        /// entry.
        static func new(_ place: Int) -> Number { Number(index: newBit | UInt32(place)) }

        /// The index of a new one.
        @inline(__always)
        var newPlace: Int? { index & Self.newBit == 0 ? nil : Int(index & ~Self.newBit) }

        private static let newBit: UInt32 = 1 << 31

        /// The number of a field that no rule uses.
        static let ignored = Number(index: 0)

        @inline(__always)
        var isIgnored: Bool { index == 0 }
    }

    private struct Key: Hashable {
        var meaning: FieldMeaning
        var content: FieldContent?
    }

    /// The place of a field, and the number of its meaning.
    private struct Slot {
        var place: UInt64 = 0
        var number = Number.ignored
    }

    private static let slotCount = 1 << 14
    private static let maximumMeanings = 8192
    private static let maximumNameBytes = 1 << 20

    private var meanings: [FieldMeaning] = []
    private var contents: [FieldContent?] = []
    private var numbers: [Key: Number] = [:]
    private var nameBytes = 0
    private var places = [Slot](repeating: Slot(), count: slotCount)
    /// How often everything was forgotten: earlier numbers have another meaning then.
    private(set) var generation = 0

    init() { forgetAll() }

    mutating func forgetAll() {
        generation += 1
        numbers.removeAll(keepingCapacity: true)
        meanings.removeAll(keepingCapacity: true)
        contents.removeAll(keepingCapacity: true)
        nameBytes = 0
        for slot in places.indices { places[slot] = Slot() }
        _ = number(of: FieldMeaning())
    }

    @inline(__always)
    subscript(number: Number) -> FieldMeaning { meanings[Int(number.index)] }

    /// Returns the content of a decisive field.
    func content(_ number: Number) -> FieldContent? { contents[Int(number.index)] }

    mutating func number(of meaning: FieldMeaning, _ content: FieldContent? = nil) -> Number {
        let key = Key(meaning: meaning, content: content)
        if let number = numbers[key] { return number }
        let bytes = content?.name.count ?? 0
        if meanings.count >= Self.maximumMeanings || nameBytes + bytes > Self.maximumNameBytes { forgetAll() }
        let number = Number(
            index: UInt32(meanings.count), isOnlyDecisive: meaning == FieldMeaning(isDecisive: true))
        meanings.append(meaning)
        contents.append(content)
        numbers[key] = number
        nameBytes += bytes
        return number
    }

    // MARK: places

    /// - Returns: `nil` when it is not known.
    @inline(__always)
    func number(file: UInt16, offset: UInt64) -> Number? {
        let slot = places[Self.slot(file, offset)]
        return slot.place == Self.place(file, offset) && offset % 8 == 0 ? slot.number : nil
    }

    mutating func remember(_ number: Number, file: UInt16, offset: UInt64) {
        // A damaged reference between two objects has the place of the one before it.
        guard offset % 8 == 0 else { return }
        places[Self.slot(file, offset)] = Slot(place: Self.place(file, offset), number: number)
    }

    // Never 0. Offsets of objects are multiples of 8, and no file has 2^50 bytes.
    @inline(__always)
    private static func place(_ file: UInt16, _ offset: UInt64) -> UInt64 {
        UInt64(file) << 48 | 1 << 47 | offset >> 3
    }

    // Fields that entries have in common were mostly written together, and have neighbouring slots. No field is shorter
    // than 64 bytes.
    @inline(__always)
    private static func slot(_ file: UInt16, _ offset: UInt64) -> Int {
        let start = UInt64(file) &* 0x9E37_79B9
        return Int(truncatingIfNeeded: start &+ (offset >> 6)) & (slotCount - 1)
    }
}
