package import Model

extension EventStore {
    /// Groups stored events, by reading the columns that the query names.
    /// - Parameter zone: whose clock parts of time go by.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func groups(_ query: GroupQuery, zone: Zone) async throws(StoreError) -> GroupSums {
        guard query.predicate.bounds != nil else { return GroupSums() }
        let scan = GroupScan(query, zone: zone)
        let lane: ReadLane = query.looksIntoPayloads ? .search : .query
        // Both times the same events are read.
        let parts = try await scanParts(on: lane)
        try await self.scan(parts, query.predicate, on: lane) { try scan.count($0, $1) }
        if let predicate = scan.beginDetails() {
            try await self.scan(parts, predicate, on: lane) { try scan.detail($0, $1) }
        }
        return scan.result()
    }
}

extension GroupQuery {
    /// Whether values in payloads have to be read.
    package var looksIntoPayloads: Bool {
        predicate.looksIntoPayloads || measure != nil
            || (keys + [distinct].compactMap(\.self)).contains { if case .parameter = $0 { true } else { false } }
    }
}
