/// Goes through the entries of a file in the order in which they were written, by two ways at once: from object to object,
/// and by the arrays that name the entries. Each of them finds what the other loses to damage; where they differ, the
/// nearer entry is the next. Where neither leads on, whatever can be an object is tried, eight bytes at a time.
struct EntryWalk: ~Copyable {
    enum Step: Sendable {
        /// The window holds it until the next step.
        case entry(EntryHead)
        /// As many entries as the header counts were read or are lost.
        case end
        /// Entries that the header counts and that could not be found, between these offsets.
        case lost(count: UInt64, within: Range<UInt64>)
    }

    /// An entry has 1024 fields at most, and some more that journald adds.
    private static let maximumItems = 4096

    private let header: FileHeader
    private let layout: FileLayout
    private var arrays: EntryArrays
    private(set) var place: Place
    /// Whether both ways agreed from the file's first entry on: then there are no entries but those that were read.
    private(set) var isUndisputed: Bool
    /// Where no entry begins, except at the last of these places.
    private var searched: (from: UInt64, to: UInt64)?

    /// How far a file was read.
    struct Place: Sendable, Hashable {
        /// Behind the last entry; 0 at the beginning.
        var offset: UInt64 = 0
        /// Entries that were read or are lost.
        var count: UInt64 = 0
    }

    /// - Parameter place: behind an entry of this very file.
    init(_ header: FileHeader, from place: Place = Place()) {
        self.header = header
        layout = header.layout
        arrays = EntryArrays(header)
        self.place = Place(offset: max(place.offset, header.headerBytes), count: place.count)
        isUndisputed = place.count == 0
    }

    /// Takes up what was written since: `header` was read before anything that `next` gives from now on.
    mutating func refresh(_ header: FileHeader, _ window: inout FileWindow) {
        window.forget()
        arrays.forget(header)
        searched = nil
    }

    /// - Parameters:
    ///   - entryCount: of the header.
    ///   - end: of the file, of which no object reaches beyond.
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
        // Looking further may have moved the window.
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

    /// From object to object to the next entry.
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

    /// What can be an entry, at any place where one may stand. No size is believed on the way: one of them led here.
    @inline(never)
    private mutating func search(
        from place: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        var (start, place) = (place, place)
        // What was looked through before has no more in it.
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

    /// - Returns: `nil` for what cannot be an entry behind those that were read.
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

    /// - Returns: `nil` when it is no entry's.
    @inline(__always)
    private func size(of head: ObjectHead) -> Int? {
        guard head.size > UInt64(EntryHead.bytes),
            head.size <= UInt64(EntryHead.bytes + Self.maximumItems * layout.entryItemBytes)
        else { return nil }
        let size = Int(head.size)
        return (size - EntryHead.bytes) % layout.entryItemBytes == 0 ? size : nil
    }

    /// Whether the entry seems longer than it is: the arrays name the one behind it within it, and no object follows it.
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

    /// Fields stand before the entries that have them. What looks like an entry, or like more of one, fails in this.
    @inline(__always)
    private func mayRefer(to field: UInt64, from entry: UInt64) -> Bool {
        field >= header.headerBytes && field < entry && field % 8 == 0
    }

    // MARK: damage

    /// How many entries in a row may be damaged before what the arrays name behind them is not looked at any more.
    private static let maximumTries: UInt64 = 4096

    /// Decides where the two ways differ: the nearer of the entries that they lead to is the next. What the arrays name
    /// before it, and what is no entry, is lost.
    @inline(never)
    private mutating func settle(
        _ scanned: EntryHead?, _ source: borrowing some ByteSource, _ window: inout FileWindow, entryCount: UInt64,
        end: UInt64
    ) throws(FormatError) -> Step {
        var next = scanned
        var lost: UInt64 = 0
        while lost < min(entryCount - place.count, Self.maximumTries),
            let named = try arrays.offset(ofEntry: place.count + lost, source, end: end),
            // Where the other way leads nowhere, those behind one that is damaged may be whole.
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
        // The window may have moved, and the file may have become shorter.
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

    /// The entry that an array names; of one whose references are damaged, as much as lies before the damage.
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

    /// How many references there are before one that cannot be right.
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

    /// The entry of that index, as the arrays have it.
    /// - Returns: `nil` when they do not tell, because of damage.
    mutating func entry(
        _ index: UInt64, _ source: borrowing some ByteSource, _ window: inout FileWindow, end: UInt64
    ) throws(FormatError) -> EntryHead? {
        guard let place = try arrays.offset(ofEntry: index, source, end: end) else { return nil }
        return try entry(at: place, source, &window, end: end)
    }

    // MARK: the entry's fields

    @inline(__always)
    func itemCount(of entry: EntryHead) -> Int { (entry.size - EntryHead.bytes) / layout.entryItemBytes }

    /// Where a field of the entry is.
    /// - Parameter object: the whole entry.
    @inline(__always)
    func item(_ index: Int, of object: RawSpan) -> UInt64 {
        layout.offset(object, at: EntryHead.bytes + index * layout.entryItemBytes)
    }
}
