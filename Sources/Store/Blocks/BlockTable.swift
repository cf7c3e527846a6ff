internal import Model

/// The columns of the tables within blocks, which have what repeats from event to event.
enum BlockTable {
    // MARK: senders

    static let senderColumns = senderField + SenderField.allCases.count
    /// The columns of subsystem and category.
    static let senderNames = [column(of: .subsystem), column(of: .category)]
    static let senderBoot = 0
    private static let senderSeqnum = 1
    private static let senderSource = 2
    private static let senderKeyFields = 3
    /// The column of the first `SenderField`.
    private static let senderField = 4

    static func column(of field: SenderField) -> Int { senderField + field.place }

    static let senders = BlockTextWriter<Origin>(
        [
            { $1.append($0.bootID) }, { $1.append($0.seqnumID) }, { $1.append($0.source) },
            { $1.append($0.keyFields.text) },
        ]
            + SenderField.allCases.map { field in { @Sendable origin, column in column.append(origin[field]) } })

    static func origin(_ texts: inout SharedTexts, _ row: Int) throws(BlockDamage) -> Origin {
        guard let source = texts.text(senderSource, row), let keyFields = texts.text(senderKeyFields, row) else {
            throw lacksField
        }
        return Origin(
            SenderValues { texts.text(column(of: $0), row) }, bootID: try bootID(texts.table, row),
            seqnumID: try seqnumID(texts.table, row), source: source,
            keyFields: keyFields.isEmpty ? .none : KeyFields(text: keyFields))
    }

    static func bootID(_ table: BlockTexts, _ row: Int) throws(BlockDamage) -> ID128 { try id(table, senderBoot, row) }

    static func seqnumID(_ table: BlockTexts, _ row: Int) throws(BlockDamage) -> ID128 {
        try id(table, senderSeqnum, row)
    }

    private static func id(_ table: BlockTexts, _ column: Int, _ row: Int) throws(BlockDamage) -> ID128 {
        let id = table.withText(column, row) { text in text.flatMap { ID128(hexadecimal: $0) } }
        guard let id else { throw lacksField }
        return id
    }

    private static let lacksField = BlockDamage("a sender lacks a required field")

    // MARK: kinds

    static let kindColumns = 5
    static let kindResolution = 0
    static let kindDictionary = 1
    static let kindVersion = 2
    /// The columns of the key's category and name.
    static let kindKey = 3..<5

    static let kinds = BlockTextWriter<ResolvedKind>([
        { $1.append($0.resolution.rawValue) }, { $1.append($0.kind.dictionary) },
        { $1.append($0.kind.definitionsVersion) }, { $1.append($0.kind.key?.category) },
        { $1.append($0.kind.key?.name) },
    ])

    /// - Parameter text: returns the text of a column.
    static func kind(_ text: (Int) -> String?) throws(BlockDamage) -> ResolvedKind {
        var key: EventKey?
        if let category = text(kindKey.lowerBound), let name = text(kindKey.lowerBound + 1) {
            key = EventKey(category: category, name: name)
        }
        return ResolvedKind(
            try resolution(text(kindResolution)),
            EventKind(dictionary: text(kindDictionary), definitionsVersion: text(kindVersion), key: key))
    }

    /// Returns the resolution of each row.
    static func resolutions(_ table: BlockTexts) throws -> [Resolution] {
        try table.map(kindResolution) { text in try resolution(text.map { String(decoding: $0, as: UTF8.self) }) }
    }

    private static func resolution(_ text: String?) throws(BlockDamage) -> Resolution {
        guard let resolution = text.flatMap({ Resolution(rawValue: $0) }) else {
            throw BlockDamage("an unknown resolution")
        }
        return resolution
    }
}
