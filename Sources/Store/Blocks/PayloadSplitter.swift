/// Splits the payloads of a block into templates, which are few, and values, which are similar within a path. Unified
/// logging splits messages into formats and arguments in the same way.
struct PayloadSplitter {
    /// The maximum number of templates, and of paths with the root, in a block. Payloads that would exceed it are kept
    /// whole, since senders can invent any number of keys.
    static let capacity = (templates: 4096, paths: 1024)
    /// The maximum number of values in a payload with a template.
    static let valuesOfPayload = 512
    /// The maximum number of new paths that one payload may add, so that no payload uses up the paths of the others.
    private static let newPathsOfPayload = 256

    private(set) var paths = PayloadPaths()
    private(set) var templates = PayloadTemplates()
    /// The values of each path.
    private(set) var columns: [ValueColumn] = [ValueColumn()]
    /// The payloads of plain and malformed events, large ones, those with a key twice, and those whose shapes exceed the
    /// limits.
    private(set) var whole = ValueColumn()
    /// The code of each event's template, see `RecentTemplates`.
    private(set) var codes: [Int64] = []

    /// The templates in their stored form, to recognize them again.
    private var known = ByteTable()
    private var recent = RecentTemplates()
    private var values: [Range<Int>] = []
    private var newTemplate = PayloadTemplate()
    private var encoded = ByteWriter()
    /// The last payload with each path for which `makeTemplate` was called.
    private var lastPayloadWith: [Int] = [0]
    private var payloadCount = 0

    /// - Parameters:
    ///   - isObject: whether the payload is known to be a JSON object.
    ///   - kind: the number of the event's kind. Events of a kind often have the same template.
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

    /// Returns the template of a payload, and sets `values` to the ranges of its values.
    /// - Returns: `nil` when the payload is to be kept whole.
    private mutating func template(of payload: UnsafeRawBufferPointer, kind: Int) -> Int? {
        for place in 0..<RecentTemplates.capacity {
            guard let number = recent.template(ofKind: kind, at: place) else { break }
            if templates.matches(number, payload, &values) { return number }
        }
        let paths = paths.count
        if makeTemplate(payload) {
            encoded.removeAll()
            newTemplate.append(to: &encoded)
            let number = encoded.bytes.withUnsafeBytes { known.number(of: $0, atMost: Self.capacity.templates) }
            if number == templates.count { templates.append(newTemplate) }
            if let number { return number }
        }
        forgetPaths(since: paths)
        return nil
    }

    /// Removes the paths that a payload added before it turned out that it is kept whole.
    private mutating func forgetPaths(since count: Int) {
        columns.removeLast(columns.count - count)
        lastPayloadWith.removeLast(lastPayloadWith.count - count)
        paths.removeAll(since: count)
    }

    /// - Parameter key: as it is written. Two keys with the same unescaped text are the same.
    /// - Returns: `nil` when there is no room for the key, or the payload has it twice.
    private mutating func node(below parent: Int, key: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
        let found = key.withUnescaped { paths.node(below: parent, key: $0, atMost: most) }
        guard let node = found else { return nil }
        if node == columns.count {
            columns.append(ValueColumn())
            lastPayloadWith.append(0)
        }
        guard lastPayloadWith[node] < payloadCount else { return nil }
        lastPayloadWith[node] = payloadCount
        return node
    }

    /// Creates the template of a payload. A payload with a duplicate key is kept whole, since columns cannot
    /// represent which value counts.
    private mutating func makeTemplate(_ payload: UnsafeRawBufferPointer) -> Bool {
        payloadCount += 1
        newTemplate.removeAll()
        values.removeAll(keepingCapacity: true)
        let scan = PayloadScan(payload)
        let mostPaths = min(Self.capacity.paths, paths.count + Self.newPathsOfPayload)
        guard let start = scan.token(from: 0), payload[start] == UInt8(ascii: "{") else { return false }
        // The paths of the objects that are open.
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
            newTemplate.append(UnsafeRawBufferPointer(rebasing: payload[copied..<value.lowerBound]))
            newTemplate.appendHole(kind, path: node)
            values.append(value)
            copied = value.upperBound
        }
        newTemplate.append(UnsafeRawBufferPointer(rebasing: payload[copied...]))
        return true
    }
}
