/// `GET /v1/gaps`: the gap records, oldest first, a page at a time.
package struct GapList: Sendable, Hashable, Codable {
    package var gaps: [GapLine]
    /// Where the next page goes on: `after=` this. Absent: there is no more.
    package var next: Int64?

    package init(gaps: [GapLine], next: Int64?) {
        self.gaps = gaps
        self.next = next
    }
}
