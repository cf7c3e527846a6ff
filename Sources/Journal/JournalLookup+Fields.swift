package import Model

extension JournalLookup: JournalFieldSource {
    package func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let files = LookupFiles(folders, options.entryKey)
        let beginning = Array("\(field)=".utf8)
        let limit = options.maximumFieldBytes + FieldReader.longestName
        for (number, place) in places.enumerated() {
            guard isWanted() else { return }
            guard let (file, entry) = try files.find(place, walks: false) else { continue }
            var failure: (any Error)?
            _ = try file.forEachField(
                of: entry, limit: limit, isWanted: { $0.withUnsafeBytes { $0.starts(with: beginning) } },
                { field, _ in
                    guard failure == nil else { return }
                    let value = UnsafeRawBufferPointer(rebasing: field.dropFirst(beginning.count))
                    do { try body(number, value) } catch { failure = error }
                })
            if let failure { throw failure }
        }
    }
}
