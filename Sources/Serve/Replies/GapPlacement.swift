import Model

/// Which gaps belong to a page of events, and between which of them they stand.
///
/// A gap lies behind one event, so a page owns the gaps behind a range of ids. Where a result ends because it has as
/// many events as were asked for, the gaps beyond the last one belong to whoever asks for what comes next: paging with
/// `after` or `before` shows each gap once.
struct GapPlacement {
    /// The ids whose gaps the page owns; `nil` when there are none.
    /// - Parameter event: the last one of the page.
    static func ids(
        ascendingFrom start: Int64, through event: Int64?, next: Int64?, isFull: Bool, end: Int64
    ) -> ClosedRange<Int64>? {
        let last: Int64 =
            if isFull, let event {
                event - 1
            } else if let next {
                next - 1
            } else {
                end
            }
        return start <= last ? start...last : nil
    }

    /// The same for a page that goes down from `end`.
    static func ids(
        descendingFrom end: Int64, through event: Int64?, next: Int64?, isFull: Bool, start: Int64
    ) -> ClosedRange<Int64>? {
        let first: Int64 =
            if isFull, let event {
                event
            } else if let next {
                next
            } else {
                start
            }
        return first <= end ? first...end : nil
    }
}

extension EventFilter {
    /// Whether a gap bears on the events that are asked for: what is missing has no subsystem, but it has a time and a
    /// boot, as far as the entries at its ends tell.
    func concerns(_ gap: Gap) -> Bool {
        let start = gap.from?.realtimeMicroseconds ?? gap.realtimeMicroseconds
        let end = gap.to?.realtimeMicroseconds ?? gap.realtimeMicroseconds
        if let since = sinceMicroseconds, max(start, end) < since { return false }
        if let until = untilMicroseconds, min(start, end) > until { return false }
        let ends = [gap.from?.bootID, gap.to?.bootID].compactMap(\.self)
        return boots.isEmpty || ends.isEmpty || ends.contains { boots.contains($0) }
    }
}
