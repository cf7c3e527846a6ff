import Model

/// What a field of a file says to the rules, worked out once for every field that entries share: the same
/// `SUBSYSTEM=com.example.shop` is one object for the whole file.
struct FieldMeaning: Sendable, Hashable {
    /// Whether it takes part in the choice of a rule and an origin, by what `FieldMeanings.content` has of it.
    var isDecisive = false
    /// Which of the payloads it is.
    var payload: Int?
    var level: Level?
    var pid: Int32?
    /// Whether it says that journald split a line here.
    var isSplit = false
    var isStream = false
    var loss: LossMessage?
    /// Whether its bytes are not those that were written.
    var isDamaged = false
}

/// What a decisive field's value is.
struct FieldContent: Sendable, Hashable {
    /// Index in `CompiledRules.fields`.
    var field: Int
    /// The groups of conditions that the value fits.
    var fits: [Int]
    /// The value, or its beginning, where an event is named by it; else empty.
    var name: [UInt8] = []
    var isNameCut = false
}

/// The meanings that were met, each once, by a number, and which of them the fields of files have.
///
/// Its memory has a bound: when it is reached, all is forgotten.
struct FieldMeanings {
    /// Names a meaning.
    struct Number: Sendable, Hashable {
        fileprivate(set) var index: UInt32
        /// Whether rules are chosen by it, and it says nothing else.
        fileprivate(set) var isOnlyDecisive = false

        /// Of a decisive field that no entry had before: names its place among those of the current entry.
        static func new(_ place: Int) -> Number { Number(index: newBit | UInt32(place)) }

        /// The place of a new one.
        @inline(__always)
        var newPlace: Int? { index & Self.newBit == 0 ? nil : Int(index & ~Self.newBit) }

        private static let newBit: UInt32 = 1 << 31

        /// Of a field that says nothing to any rule.
        static let ignored = Number(index: 0)

        @inline(__always)
        var isIgnored: Bool { index == 0 }
    }

    private struct Key: Hashable {
        var meaning: FieldMeaning
        var content: FieldContent?
    }

    /// A field's place, and its meaning's number.
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
    /// How often all was forgotten: a number of before means something else then.
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

    /// Of a decisive field.
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
        return slot.place == Self.place(file, offset) ? slot.number : nil
    }

    mutating func remember(_ number: Number, file: UInt16, offset: UInt64) {
        places[Self.slot(file, offset)] = Slot(place: Self.place(file, offset), number: number)
    }

    /// Never 0. Offsets are multiples of 8, and no file has 2^50 bytes.
    @inline(__always)
    private static func place(_ file: UInt16, _ offset: UInt64) -> UInt64 {
        UInt64(file) << 48 | 1 << 47 | offset >> 3
    }

    /// Fields that entries have in common were mostly written together, and have neighbouring slots. None is shorter than 64
    /// bytes.
    @inline(__always)
    private static func slot(_ file: UInt16, _ offset: UInt64) -> Int {
        let start = UInt64(file) &* 0x9E37_79B9
        return Int(truncatingIfNeeded: start &+ (offset >> 6)) & (slotCount - 1)
    }
}
