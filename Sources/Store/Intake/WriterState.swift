internal import GRDB

/// What the connection that writes keeps in memory. It says the same as the database, or less.
struct WriterState: Sendable {
    var block: OpenBlock
    var series = SeriesTable()
    var findings: FindingTable
    var findingNames = FindingNames()
    /// Whether events were removed since series were last looked through.
    var mayHaveUnusedSeries = true
    /// Whether a dictionary's version or a file of one may have become superfluous.
    var mayHaveUnusedVersions = true
    /// About what the dictionaries' versions take.
    var dictionaryBytes: Int64
    /// Whether payloads were replaced, and what they were may still be in the log.
    var hasOldPayloadsInLog = false
    /// How long the write-ahead log still was when it was last to be emptied.
    var logBytesThatStay: Int64 = 0

    init(_ db: Database) throws {
        block = try OpenBlock(db, lastEventID: Totals.lastEventID(db), index: ParameterIndex(names: []))
        findings = try FindingTable(db)
        dictionaryBytes = try VersionTable.bytes(db)
    }

    /// 0 before the first.
    var lastEventID: Int64 { block.nextID - 1 }
}
