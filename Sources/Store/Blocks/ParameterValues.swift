internal import Model

/// A value of a payload.
enum ColumnValue {
    /// A number, where a column has it as such.
    case integer(Int64)
    /// The text of a string, or the JSON text of another value.
    case text(UnsafeRawBufferPointer, isString: Bool)

    @inline(__always)
    func withText<Result>(_ body: (UnsafeRawBufferPointer, _ isString: Bool) -> Result) -> Result {
        switch self {
        case .integer(let number): number.withText { body($0, false) }
        case .text(let text, let isString): body(text, isString)
        }
    }
}

/// Gives a value of a payload a number.
typealias NumberOfValue = (ColumnValue) -> Int32

extension BlockContent {
    /// If a name has more paths, payloads are parsed. Senders can invent hundreds, and each is looked for in all templates.
    private static let fewPaths = 8

    func integers(of name: ExactString) throws -> (values: PackedIntegers, places: [Int32])? {
        let shapes = try shapes()
        let nodes = shapes.paths.nodes(of: [Array(name.utf8)]).filter { shapes.events(ofPath: $0) > 0 }
        guard let node = nodes.first, nodes.count == 1, shapes.wholeCount == 0,
            !shapes.templates.holes.contains(where: { $0.path == node && $0.kind == .string }),
            let integers = try values(ofPath: node, reads: nil).integers
        else { return nil }
        var places = [Int32](repeating: -1, count: count)
        places.withUnsafeMutableBufferPointer { places in
            shapes.forEachValue(ofPath: node) { event, _, place in places[event] = Int32(truncatingIfNeeded: place) }
        }
        return (integers, places)
    }

    func valueNumbers(
        of name: ExactString, _ inner: [Predicate.ParameterPath.Step], among selection: [Int], _ number: NumberOfValue,
        earlier: (_ event: Int, Int32) -> Void
    ) throws -> [Int32] {
        let shapes = try shapes()
        var numbers = [Int32](repeating: -1, count: count)
        let name = Array(name.utf8)
        let nodes = shapes.paths.nodes(of: [name]).filter { shapes.events(ofPath: $0) > 0 }
        guard nodes.count <= Self.fewPaths else {
            try readPayloads(of: selection, name, inner, number, earlier, &numbers)
            return numbers
        }
        var isSelected = [Bool](repeating: false, count: count)
        for event in selection { isSelected[event] = true }
        for node in nodes {
            let column = try values(ofPath: node, reads: nil)
            let integers = inner.isEmpty ? column.integers?.unpacked : nil
            // What is known of the distinct texts, as strings and as other values.
            var known = [[Int32]](
                repeating: [Int32](repeating: -2, count: integers == nil ? column.distinctCount : 0), count: 2)
            shapes.forEachValue(ofPath: node) { event, hole, place in
                guard isSelected[event] else { return }
                let isString = shapes.templates.holes[hole].kind == .string
                if let integers {
                    let integer = integers[place]
                    numbers[event] =
                        isString ? integer.withText { number(.text($0, isString: true)) } : number(.integer(integer))
                    return
                }
                let distinct = column.distinctNumber(place)
                var found = known[isString ? 1 : 0][distinct]
                if found == -2 {
                    found = column.withDistinct(distinct) { value in
                        isString
                            ? value.withUnescaped { Self.number(of: $0, isString: true, inner, number) }
                            : Self.number(of: value, isString: false, inner, number)
                    }
                    known[isString ? 1 : 0][distinct] = found
                }
                if found >= 0 { numbers[event] = found }
            }
        }
        // Columns have neither payloads without a template nor the order of several values that a payload has of the name.
        let haveSeveral = nodes.count > 1 ? shapes.templates.haveSeveral(of: nodes) : []
        guard shapes.wholeCount > 0 || haveSeveral.contains(true) else { return numbers }
        let rest = selection.filter { event in
            guard let template = shapes.template(of: event) else { return true }
            return !haveSeveral.isEmpty && haveSeveral[template]
        }
        try readPayloads(of: rest, name, inner, number, earlier, &numbers)
        return numbers
    }
}

extension OpenEvents {
    func integers(of name: ExactString) -> (values: PackedIntegers, places: [Int32])? { nil }

    func valueNumbers(
        of name: ExactString, _ inner: [Predicate.ParameterPath.Step], among selection: [Int], _ number: NumberOfValue,
        earlier: (_ event: Int, Int32) -> Void
    ) throws -> [Int32] {
        var numbers = [Int32](repeating: -1, count: count)
        let name = Array(name.utf8)
        if inner.isEmpty, let kept, kept.names.all.contains(name) {
            kept.forEach(of: name) { event, value, isString in
                let found = Self.number(of: value, isString: isString, inner, number)
                Self.take(found, of: event, earlier, &numbers)
            }
        } else {
            try readPayloads(of: selection, name, inner, number, earlier, &numbers)
        }
        return numbers
    }

    /// Parses all payloads once, for several calls of `valueNumbers(of:)` that ask for values with these names.
    func keepParameters(named names: Set<[UInt8]>) throws {
        var kept = KeptParameters(names: names)
        try forEachParameter(of: Array(0..<count), where: kept.names.contains) { event, name, value, isString in
            if isString || value.first != UInt8(ascii: "{") { kept.add(event, Array(name), value, isString) }
        }
        self.kept = kept
    }
}

/// Values of some parameters, for all events.
struct KeptParameters {
    let names: ParameterNames
    private var values: [[UInt8]: [(event: Int, range: Range<Int>, isString: Bool)]] = [:]
    private var bytes: [UInt8] = []

    init(names: Set<[UInt8]>) { self.names = ParameterNames(names) }

    mutating func add(_ event: Int, _ name: [UInt8], _ value: UnsafeRawBufferPointer, _ isString: Bool) {
        values[name, default: []].append((event, bytes.count..<bytes.count + value.count, isString))
        bytes.append(contentsOf: value)
    }

    func forEach(of name: [UInt8], _ body: (Int, UnsafeRawBufferPointer, Bool) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for (event, range, isString) in values[name] ?? [] {
                body(event, UnsafeRawBufferPointer(rebasing: bytes[range]), isString)
            }
        }
    }
}

extension EventColumns {
    /// Finds the values by parsing the payloads.
    fileprivate func readPayloads(
        of events: [Int], _ wanted: [UInt8], _ inner: [Predicate.ParameterPath.Step], _ number: NumberOfValue,
        _ earlier: (Int, Int32) -> Void, _ numbers: inout [Int32]
    ) throws {
        let names = ParameterNames([wanted])
        try forEachParameter(of: events, where: names.contains) { event, _, value, isString in
            guard isString || value.first != UInt8(ascii: "{") else { return }
            let found = Self.number(of: value, isString: isString, inner, number)
            Self.take(found, of: event, earlier, &numbers)
        }
    }

    /// - Parameter number: of a value that stands behind those that the event has so far; -1 for none.
    fileprivate static func take(
        _ number: Int32, of event: Int, _ earlier: (Int, Int32) -> Void, _ numbers: inout [Int32]
    ) {
        guard number >= 0 else { return }
        if numbers[event] >= 0 { earlier(event, numbers[event]) }
        numbers[event] = number
    }

    /// Calls `body` with each parameter that is wanted in the payloads of events, which are parsed.
    /// - Parameter events: ascending.
    func forEachParameter(
        of events: [Int], where isWanted: (_ name: UnsafeRawBufferPointer) -> Bool,
        _ body: (Int, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ isString: Bool) -> Void
    ) throws {
        try forEachPayload(of: events.filter(try payloadTest())) { event, payload in
            PayloadParameters.forEach(in: payload, where: isWanted) { body(event, $0, $1, $2) }
        }
    }

    /// - Returns: the number of a value, or of what is in it; -1 for `null`, for an object in it, and where there is nothing.
    fileprivate static func number(
        of value: UnsafeRawBufferPointer, isString: Bool, _ inner: [Predicate.ParameterPath.Step],
        _ number: NumberOfValue
    ) -> Int32 {
        guard !inner.isEmpty else {
            if !isString, value.elementsEqual("null".utf8) { return -1 }
            return number(.text(value, isString: isString))
        }
        // What is in a text is no JSON.
        guard !isString else { return -1 }
        var found: Int32 = -1
        _ = try? PayloadValue.inner(inner, of: value) { text, isString in
            if !PayloadValue.isNullOrObject(text, isString: isString) {
                found = number(.text(text, isString: isString))
            }
            return true
        }
        return found
    }
}
