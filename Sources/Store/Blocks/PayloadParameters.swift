/// Finds the parameters of a payload by parsing it once, for the payloads and values that columns do not have.
struct PayloadParameters {
    private struct Parameter {
        /// The range of the name of the object that the parameter belongs to, including a dot at the end.
        var prefix: Range<Int>
        var key: [UInt8]
        var value: Range<Int>
        var isString: Bool
        /// Whether the same key occurred again.
        var isSuperseded = false
    }

    private let scan: PayloadScan
    private var names: [UInt8] = []
    private var parameters: [Parameter] = []

    /// Deeper objects are not parsed. Payloads are not nested that deep.
    private static let maximumDepth = 128

    /// Calls `body` with each parameter: its name, with dots after the names of the objects that it is nested in, and
    /// the text of a string or the JSON text of any other value. If a key occurs twice in an object, the last one
    /// counts. Names that are too long are not parameters.
    /// - Parameter payload: a JSON object. Of other bytes, anything may be taken for a parameter.
    static func forEach(
        in payload: UnsafeRawBufferPointer,
        _ body: (_ name: [UInt8], _ value: UnsafeRawBufferPointer, _ isString: Bool) throws -> Void
    ) rethrows {
        var walk = Self(scan: PayloadScan(payload))
        guard let start = walk.scan.token(from: 0), payload[start] == UInt8(ascii: "{") else { return }
        _ = walk.object(from: start, prefix: 0..<0, depth: 1)
        var name: [UInt8] = []
        for parameter in walk.parameters where !parameter.isSuperseded {
            name.removeAll(keepingCapacity: true)
            name += walk.names[parameter.prefix]
            name += parameter.key
            let value = UnsafeRawBufferPointer(rebasing: payload[parameter.value])
            if parameter.isString {
                try value.withUnescaped { try body(name, $0, true) }
            } else {
                try body(name, value, false)
            }
        }
    }

    private init(scan: PayloadScan) { self.scan = scan }

    /// - Returns: the position after the object; `nil` when it has no end.
    private mutating func object(from start: Int, prefix: Range<Int>, depth: Int) -> Int? {
        var at = start + 1
        // The ranges of the parameters that each key has: its own, and those nested in it.
        var places: [[UInt8]: Range<Int>] = [:]
        while true {
            switch scan.step(from: at) {
            case nil: return nil
            case .end(let end): return end
            case .member(let written, let value):
                let key = UnsafeRawBufferPointer(rebasing: scan.bytes[written]).withUnescaped { Array($0) }
                let first = parameters.count
                guard let end = parameter(key, value, prefix, depth) else { return nil }
                for index in places[key] ?? 0..<0 { parameters[index].isSuperseded = true }
                places[key] = first..<parameters.count
                at = end
            }
        }
    }

    /// - Returns: the position after the value.
    private mutating func parameter(_ key: [UInt8], _ value: Int, _ prefix: Range<Int>, _ depth: Int) -> Int? {
        let isNamed = prefix.count + key.count <= PayloadPaths.longestName
        guard scan.bytes[value] == UInt8(ascii: "{") else {
            guard let (content, kind, end) = scan.value(from: value) else { return nil }
            if isNamed {
                parameters.append(.init(prefix: prefix, key: key, value: content, isString: kind == .string))
            }
            return end
        }
        guard isNamed, depth < Self.maximumDepth else { return scan.endOfContainer(from: value) }
        let place = parameters.count
        parameters.append(.init(prefix: prefix, key: key, value: value..<value, isString: false))
        let start = names.count
        names += Array(names[prefix]) + key
        names.append(UInt8(ascii: "."))
        guard let end = object(from: value, prefix: start..<names.count, depth: depth + 1) else { return nil }
        parameters[place].value = value..<end
        return end
    }
}
