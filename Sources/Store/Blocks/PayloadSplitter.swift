/// Takes the payloads of a block apart: into templates, which are few, and values, which are alike within a path. As unified
/// logging keeps a format and its arguments.
struct PayloadSplitter {
    /// What no block has more of; payloads with others are kept whole. Keys that senders make up are endless.
    static let capacity = (templates: 4096, paths: 1024)
    /// How many values a payload with a template has at most.
    static let valuesOfPayload = 512
    /// How many paths that no other payload has one may bring: none takes those of the others away.
    private static let newPathsOfPayload = 256

    private(set) var paths = PayloadPaths()
    private(set) var templates = PayloadTemplates()
    /// The values of each path.
    private(set) var columns: [ValueColumn] = [ValueColumn()]
    /// Payloads that are no objects, or of too many shapes.
    private(set) var whole = ValueColumn()
    /// Of each event, see `RecentTemplates`.
    private(set) var codes: [Int64] = []

    /// Templates as they are stored, to find them again.
    private var known = ByteTable()
    private var recent = RecentTemplates()
    private var values: [Range<Int>] = []
    private var drawn = PayloadTemplate()
    private var encoded = ByteWriter()
    /// Of each path, the last payload drawn that has it.
    private var drawnWith: [Int] = [0]
    private var draws = 0

    /// - Parameters:
    ///   - isObject: whether the payload is known to be a JSON object.
    ///   - kind: events of one number often have the same template.
    mutating func append(_ payload: UnsafeRawBufferPointer, isObject: Bool, kind: Int) {
        guard isObject, let template = template(of: payload, kind: kind) else {
            codes.append(RecentTemplates.whole)
            whole.append(payload)
            return
        }
        codes.append(recent.code(of: template, kind: kind))
        let first = templates.holes(of: template).lowerBound
        for index in values.indices {
            let path = templates.holes[first + index].path
            columns[path].append(UnsafeRawBufferPointer(rebasing: payload[values[index]]))
        }
    }

    /// - Returns: its template, while `values` are its values; `nil` when it is to be kept whole.
    private mutating func template(of payload: UnsafeRawBufferPointer, kind: Int) -> Int? {
        for place in 0..<RecentTemplates.capacity {
            guard let number = recent.template(ofKind: kind, at: place) else { break }
            if templates.matches(number, payload, &values) { return number }
        }
        let paths = paths.count
        if draw(payload) {
            encoded.removeAll()
            drawn.append(to: &encoded)
            let number = encoded.bytes.withUnsafeBytes { known.number(of: $0, atMost: Self.capacity.templates) }
            if number == templates.count { templates.append(drawn) }
            if let number { return number }
        }
        forgetPaths(since: paths)
        return nil
    }

    /// What is kept whole leaves nothing behind.
    private mutating func forgetPaths(since count: Int) {
        columns.removeLast(columns.count - count)
        drawnWith.removeLast(drawnWith.count - count)
        paths.removeAll(since: count)
    }

    /// - Parameter key: as it is written. Two that stand for the same text are the same.
    /// - Returns: `nil` when there is no room for it, or the payload has it twice.
    private mutating func node(below parent: Int, key: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
        let found = key.withUnescaped { paths.node(below: parent, key: $0, atMost: most) }
        guard let node = found else { return nil }
        if node == columns.count {
            columns.append(ValueColumn())
            drawnWith.append(0)
        }
        guard drawnWith[node] < draws else { return nil }
        drawnWith[node] = draws
        return node
    }

    /// Makes the template of a payload. One with a key twice is left whole: what it means is not for columns to say.
    private mutating func draw(_ payload: UnsafeRawBufferPointer) -> Bool {
        draws += 1
        drawn.removeAll()
        values.removeAll(keepingCapacity: true)
        let scan = PayloadScan(payload)
        let mostPaths = min(Self.capacity.paths, paths.count + Self.newPathsOfPayload)
        guard let start = scan.token(from: 0), payload[start] == UInt8(ascii: "{") else { return false }
        // Of the objects that are open.
        var open = [PayloadPaths.root]
        var (at, copied) = (start + 1, 0)
        while let parent = open.last {
            let (key, place): (Range<Int>, Int)
            switch scan.step(from: at) {
            case nil: return false
            case .end(let end):
                open.removeLast()
                at = end
                continue
            case .member(let member, let value): (key, place) = (member, value)
            }
            let written = UnsafeRawBufferPointer(rebasing: payload[key])
            guard let node = node(below: parent, key: written, atMost: mostPaths) else { return false }
            if payload[place] == UInt8(ascii: "{") {
                open.append(node)
                at = place + 1
                continue
            }
            guard let (value, kind, end) = scan.value(from: place) else { return false }
            at = end
            guard values.count < Self.valuesOfPayload else { return false }
            drawn.append(UnsafeRawBufferPointer(rebasing: payload[copied..<value.lowerBound]))
            drawn.appendHole(kind, path: node)
            values.append(value)
            copied = value.upperBound
        }
        drawn.append(UnsafeRawBufferPointer(rebasing: payload[copied...]))
        return true
    }
}
