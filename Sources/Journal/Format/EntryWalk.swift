/// Finds the entries of a file in the order in which they were written, in two ways in parallel: from object to object,
/// and with the arrays of entry offsets. Each way finds entries that the other loses to damage; where they differ, the
/// nearer entry is the next. Where both fail, it tries each offset that is a multiple of eight.
struct EntryWalk: ~Copyable {
    enum Step: Sendable {
        /// An entry, which stays in the window until the next step.
        case entry(EntryHead)
        /// All entries that the header counts were read or are lost.
        case end
        /// Entries that the header counts and that were not found between these offsets.
        case lost(count: UInt64, within: Range<UInt64>)
    }

    /// An entry has at most 1024 fields, plus some that journald adds.
    private static let maximumItems = 4096

    /// Where the objects begin.
    private let headerBytes: UInt64
    private let layout: FileLayout
    private var arrays: EntryArrays
    private(set) var place: Place
    /// Whether both ways have agreed since the file's first entry: then the file has no entries that were not read.
    private(set) var isUndisputed: Bool
    /// A range in which no entry begins, except possibly at its end.
    private var searched: (from: UInt64, to: UInt64)?

    /// A position in a file.
    struct Place: Sendable, Hashable {
        /// The offset after the last entry; 0 at the beginning.
        var offset: UInt64 = 0
        /// The number of entries that were read or are lost.
        var count: UInt64 = 0
    }

    /// - Parameter place: a place after an entry of this file.
    init(_ header: FileHeader, from place: Place = Place()) {
        headerBytes = header.headerBytes
        layout = header.layout
        arrays = EntryArrays(header)
        self.place = Place(offset: max(place.offset, headerBytes), count: place.count)
        isUndisputed = place.count == 0
    }

    /// Continues with what was written since. `header` must be read before anything that `next` returns afterwards.
    mutating func refresh(_ header: FileHeader, _ window: inout FileWindow) {
        window.forget()
        arrays.forget(header)
        searched = nil
    }

    /// - Parameters:
    ///   - entryCount: the number of entries in the header.
    ///   - end: the end of the file; no object extends beyond it.
    @inline(__always)
    mutating func next(
        _ source: borrowing some ByteSource, _ window: inout FileWindow, entryCount: UInt64, end: UInt64
    ) throws(FormatError) -> Step {
        guard place.count < entryCount else { return .end }
        let scanned = try scan(source, &window, end: end)
        let named = try arrays.offset(ofEntry: place.count, source, end: end)
        guard let scanned, named == scanned.offset else {
            return try settle(scanned, source, &window, entryCount: entryCount, end: end)
        }
        // Reading ahead may have moved the window.
        if try !reachesInto(next: place.count + 1, scanned, source, &window, entryCount: entryCount, end: end),
            try window.hold(scanned.offset, scanned.size, of: source)
        {
            return take(scanned)
        }
        return try settle(nil, source, &window, entryCount: entryCount, end: end)
    }

    @inline(__always)
    private mutating func take(_ entry: EntryHead) -> Step {
        place.offset = entry.end
        place.count += 1
        return .entry(entry)
    }

    /// Goes from object to object to the next entry.
    @inline(__always)
    private mutating func scan(
        _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        var place = self.place.offset
        var last = place
        while place < end, end - place >= UInt64(ObjectHead.bytes) {
            guard try window.hold(place, ObjectHead.bytes, of: source),
                let head = window.with(place, ObjectHead.bytes, { ObjectHead($0) }), head.size <= end - place
            else { break }
            if head.kind == .entry {
                guard let entry = try entry(at: place, head, source, &window) else { break }
                return entry
            }
            last = place
            place += head.stride
        }
        return try search(from: last, source, &window, end: end)
    }

    /// Searches every possible offset for something that can be an entry. It trusts no object's size, since one of them
    /// led here.
    @inline(never)
    private mutating func search(
        from place: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        var (start, place) = (place, place)
        // The range that was searched before need not be searched again.
        if let searched, searched.from <= place, place <= searched.to { (start, place) = searched }
        defer { searched = (start, place) }
        while place < end, end - place >= UInt64(EntryHead.bytes),
            try window.hold(place, ObjectHead.bytes, of: source)
        {
            if let head = window.with(place, ObjectHead.bytes, { ObjectHead($0) }), head.kind == .entry,
                head.size <= end - place, let entry = try entry(at: place, head, source, &window)
            {
                return entry
            }
            place += 8
        }
        return nil
    }

    /// - Returns: `nil` for an object that cannot be an entry after those that were read.
    @inline(__always)
    private func entry(
        at place: UInt64, _ head: ObjectHead, _ source: borrowing some ByteSource, _ window: inout FileWindow
    ) throws(FormatError) -> EntryHead? {
        guard let size = size(of: head), try window.hold(place, size, of: source) else { return nil }
        return window.with(place, size) { object in
            mayRefer(to: layout.offset(object, at: EntryHead.bytes), from: place)
                && mayRefer(to: layout.offset(object, at: size - layout.entryItemBytes), from: place)
                ? EntryHead(object, at: place) : nil
        }
    }

    /// - Returns: `nil` when an entry cannot have this size.
    @inline(__always)
    private func size(of head: ObjectHead) -> Int? {
        guard head.size > UInt64(EntryHead.bytes),
            head.size <= UInt64(EntryHead.bytes + Self.maximumItems * layout.entryItemBytes)
        else { return nil }
        let size = Int(head.size)
        return (size - EntryHead.bytes) % layout.entryItemBytes == 0 ? size : nil
    }

    /// Whether the entry's size seems too large: according to the arrays, the next entry begins within it, and no
    /// object follows it.
    @inline(__always)
    private mutating func reachesInto(
        next index: UInt64, _ entry: EntryHead, _ source: borrowing some ByteSource, _ window: inout FileWindow,
        entryCount: UInt64, end: UInt64
    ) throws(FormatError) -> Bool {
        guard index < entryCount, let next = try arrays.offset(ofEntry: index, source, end: end), next > entry.offset,
            next - entry.offset < UInt64(entry.size)
        else { return false }
        let place = entry.end
        guard place <= end, end - place >= UInt64(ObjectHead.bytes),
            try window.hold(place, ObjectHead.bytes, of: source)
        else { return true }
        return window.with(place, ObjectHead.bytes) { ObjectHead($0) } == nil
    }

    /// Whether an entry may refer to a field at this offset. Fields come before the entries that have them; bytes that
    /// only look like an entry, or like more of one, usually fail this test.
    @inline(__always)
    private func mayRefer(to field: UInt64, from entry: UInt64) -> Bool {
        field >= headerBytes && field < entry && field % 8 == 0
    }

    // MARK: damage

    /// The number of damaged entries in a row after which the entries in the arrays are no longer tried.
    private static let maximumTries: UInt64 = 4096

    /// Decides where the two ways differ: the nearer of their entries is the next. Entries in the arrays before it, and
    /// objects that are not entries, are lost.
    @inline(never)
    private mutating func settle(
        _ scanned: EntryHead?, _ source: borrowing some ByteSource, _ window: inout FileWindow, entryCount: UInt64,
        end: UInt64
    ) throws(FormatError) -> Step {
        var next = scanned
        var lost: UInt64 = 0
        while lost < min(entryCount - place.count, Self.maximumTries),
            let named = try arrays.offset(ofEntry: place.count + lost, source, end: end),
            // If the other way finds nothing, the entries after a damaged one may be intact.
            next.map({ place.offset <= named && named < $0.offset }) ?? true
        {
            if place.offset <= named, named < end {
                next =
                    try namedEntry(
                        place.count + lost, at: named, source, &window, entryCount: entryCount, end: end) ?? next
                if next?.offset == named { break }
            }
            lost += 1
        }
        // The window may have moved, and the file may have been truncated.
        guard let next, try window.hold(next.offset, next.size, of: source) else {
            defer { place.count = entryCount }
            return .lost(count: entryCount - place.count, within: place.offset..<max(place.offset, end))
        }
        isUndisputed = false
        lost = min(lost, entryCount - place.count - 1)
        guard lost == 0 else {
            defer { place = Place(offset: next.offset, count: place.count + lost) }
            return .lost(count: lost, within: place.offset..<next.offset)
        }
        return take(next)
    }

    /// Returns the entry at an offset from the arrays. If its references are damaged, the entry ends before the damage.
    private mutating func namedEntry(
        _ index: UInt64, at place: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow,
        entryCount: UInt64, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        if let entry = try entry(at: place, source, &window, end: end),
            try !reachesInto(next: index + 1, entry, source, &window, entryCount: entryCount, end: end)
        {
            return entry
        }
        let most = UInt64(EntryHead.bytes + Self.maximumItems * layout.entryItemBytes)
        guard let head = try entryHead(at: place, source, &window, end: end), head.size > UInt64(EntryHead.bytes) else {
            return nil
        }
        let size = Int(min(head.size, most))
        guard try window.hold(place, size, of: source) else { return nil }
        return window.with(place, size) { object in
            var entry = EntryHead(object, at: place)
            entry.size = EntryHead.bytes + plausibleItems(of: entry, object) * layout.entryItemBytes
            entry.isDamaged = true
            return entry
        }
    }

    /// Returns the number of references before the first that cannot be correct.
    private func plausibleItems(of entry: EntryHead, _ object: RawSpan) -> Int {
        let count = itemCount(of: entry)
        return (0..<count).first { !mayRefer(to: item($0, of: object), from: entry.offset) } ?? count
    }

    private func entry(
        at place: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        guard let head = try entryHead(at: place, source, &window, end: end) else { return nil }
        return try entry(at: place, head, source, &window)
    }

    private func entryHead(
        at place: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> ObjectHead? {
        guard place % 8 == 0, place < end, end - place >= UInt64(ObjectHead.bytes),
            try window.hold(place, ObjectHead.bytes, of: source),
            let head = window.with(place, ObjectHead.bytes, { ObjectHead($0) }), head.kind == .entry,
            head.size <= end - place
        else { return nil }
        return head
    }

    /// Returns the entry with that index, as found by the arrays.
    /// - Returns: `nil` when the arrays do not have it because of damage.
    mutating func entry(
        _ index: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        guard let place = try arrays.offset(ofEntry: index, source, end: end) else { return nil }
        return try entry(at: place, source, &window, end: end)
    }

    // MARK: the entry's fields

    @inline(__always)
    func itemCount(of entry: EntryHead) -> Int { (entry.size - EntryHead.bytes) / layout.entryItemBytes }

    /// Returns the offset of a field of the entry.
    /// - Parameter object: the whole entry.
    @inline(__always)
    func item(_ index: Int, of object: RawSpan) -> UInt64 {
        layout.offset(object, at: EntryHead.bytes + index * layout.entryItemBytes)
    }
}
