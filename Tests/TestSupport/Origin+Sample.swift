package import Model

extension Origin {
    /// - Parameter fields: the fields that are not empty.
    package convenience init(
        _ fields: [SenderField: String?], bootID: ID128, seqnumID: ID128, source: String, keyFields: KeyFields = .none
    ) {
        self.init(
            SenderValues { fields[$0] ?? nil }, bootID: bootID, seqnumID: seqnumID, source: source,
            keyFields: keyFields)
    }

    package static func sample(
        subsystem: String = "com.example.shop", category: String = "ActivityLog", source: String = "test",
        keyFields: KeyFields = .none
    ) -> Origin {
        Origin(
            [.subsystem: subsystem, .category: category, .host: "web1", .identifier: "shop"],
            bootID: ID128(high: 1, low: 2), seqnumID: ID128(high: 3, low: 4), source: source,
            keyFields: keyFields)
    }
}
