internal import Model

/// Tables within blocks: columns of texts, which may be missing.
enum BlockTable {
    /// For what is missing: no text has it.
    private static let missing: UInt8 = 0xFF

    static func append(_ origins: [Origin], to output: inout ByteWriter) {
        append(
            origins,
            [
                \.subsystem, \.category, \.host, \.bootID.description, \.seqnumID.description, \.identifier, \.unit,
                \.processUID?.description, \.source,
            ], to: &output)
    }

    static func origins(_ input: inout ByteReader) throws(BlockDamage) -> [Origin] {
        let (count, columns) = try columns(9, from: &input)
        var origins: [Origin] = []
        origins.reserveCapacity(count)
        for row in 0..<count {
            guard let subsystem = columns[0].text(row), let category = columns[1].text(row),
                let host = columns[2].text(row), let bootID = columns[3].text(row).flatMap({ ID128($0) }),
                let seqnumID = columns[4].text(row).flatMap({ ID128($0) }), let source = columns[8].text(row)
            else { throw BlockDamage("a sender lacks something") }
            origins.append(
                Origin(
                    subsystem: subsystem, category: category, host: host, bootID: bootID, seqnumID: seqnumID,
                    identifier: columns[5].text(row), unit: columns[6].text(row),
                    processUID: columns[7].text(row).flatMap { UInt32($0) }, source: source))
        }
        return origins
    }

    static func append(_ kinds: [ResolvedKind], to output: inout ByteWriter) {
        append(
            kinds,
            [
                \.resolution.rawValue, \.kind.dictionary, \.kind.definitionsVersion, \.kind.key?.category,
                \.kind.key?.name,
            ], to: &output)
    }

    static func kinds(_ input: inout ByteReader) throws(BlockDamage) -> [ResolvedKind] {
        let (count, columns) = try columns(5, from: &input)
        var kinds: [ResolvedKind] = []
        kinds.reserveCapacity(count)
        for row in 0..<count {
            guard let resolution = columns[0].text(row).flatMap({ Resolution(rawValue: $0) }) else {
                throw BlockDamage("an unknown resolution")
            }
            let key = columns[3].text(row).flatMap { category in
                columns[4].text(row).map { EventKey(category: category, name: $0) }
            }
            kinds.append(
                ResolvedKind(
                    resolution,
                    EventKind(
                        dictionary: columns[1].text(row), definitionsVersion: columns[2].text(row), key: key)))
        }
        return kinds
    }

    private static func append<Row>(_ rows: [Row], _ columns: [(Row) -> String?], to output: inout ByteWriter) {
        output.append(number: rows.count)
        for column in columns {
            var values = ValueColumn()
            for row in rows {
                if let text = column(row) { values.append(text) } else { values.append(missing: missing) }
            }
            var part = ByteWriter()
            values.append(to: &part)
            output.append(number: part.bytes.count)
            output.append(part.bytes)
        }
    }

    private static func columns(
        _ count: Int, from input: inout ByteReader
    ) throws(BlockDamage) -> (rows: Int, columns: [PackedValues]) {
        let rows = try input.count(atMost: BlockPacker.capacity)
        var columns: [PackedValues] = []
        for _ in 0..<count {
            var part = ByteReader(try input.take(try input.count(atMost: input.left)))
            columns.append(try PackedValues(rows, from: &part))
            try part.end()
        }
        try input.end()
        return (rows, columns)
    }
}

extension ValueColumn {
    fileprivate mutating func append(missing byte: UInt8) { withUnsafeBytes(of: byte) { append($0) } }
}

extension PackedValues {
    /// - Returns: `nil` where it is missing.
    fileprivate func text(_ row: Int) -> String? {
        withDistinct(distinctNumber(row)) { $0.count == 1 && $0[0] == 0xFF ? nil : String(decoding: $0, as: UTF8.self) }
    }
}
