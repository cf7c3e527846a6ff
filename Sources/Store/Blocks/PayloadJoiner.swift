internal import JSON

/// Assembles payloads of a block from their templates and values.
struct PayloadJoiner {
    private let shapes: PayloadShapes
    private let columns: [PackedValues]
    /// The same columns without reference counting, which would take longer than reading a value.
    private let uncounted: [Unmanaged<PackedValues>]
    private let whole: PackedValues
    /// The number of values of each path before the last event that was read: where its own are. `wholePlace` is the same for
    /// the payloads that are kept whole.
    private var places: [Int]
    private var wholePlace = 0
    private var last = 0
    /// The number of passed events that have each template. All are 0 except while events are being counted.
    private var uses: [Int]

    /// - Parameters:
    ///   - columns: the values by path, as many as the shapes say.
    ///   - whole: the payloads without a template.
    init(shapes: PayloadShapes, columns: [PackedValues], whole: PackedValues) {
        self.shapes = shapes
        self.columns = columns
        uncounted = columns.map { Unmanaged.passUnretained($0) }
        self.whole = whole
        places = [Int](repeating: 0, count: columns.count)
        uses = [Int](repeating: 0, count: shapes.templates.count)
    }

    /// Appends the payload of an event. It takes longer the more events are between this one and the last one.
    mutating func append(_ event: Int, to output: inout [UInt8]) {
        move(to: event)
        guard let number = shapes.template(of: event) else { return whole.append(wholePlace, to: &output) }
        let text = shapes.templates.text(of: number)
        let (template, columns) = (shapes.templates.holes[shapes.templates.holes(of: number)], uncounted)
        places.withUnsafeBufferPointer { places in
            let most = template.reduce(text.count) { most, hole in
                most + columns[hole.path]._withUnsafeGuaranteedRef { $0.mostBytes(of: places[hole.path]) }
            }
            // In one piece: appending each value by itself takes longer than copying it.
            output.append(upTo: most) { output in
                shapes.templates.text.withUnsafeBytes { bytes in
                    var (copied, end) = (text.lowerBound, 0)
                    for hole in template {
                        output.put(bytes, copied..<hole.place, at: &end)
                        copied = hole.place
                        columns[hole.path]._withUnsafeGuaranteedRef { values in
                            values.withValue(places[hole.path]) { value in
                                output.put(value, 0..<value.count, at: &end)
                            }
                        }
                    }
                    output.put(bytes, copied..<text.upperBound, at: &end)
                    return end
                }
            }
        }
    }

    /// Passes all events from the last one to this one, which may be before it.
    private mutating func move(to event: Int) {
        let (passed, sign) = event < last ? (event..<last, -1) : (last..<event, 1)
        last = event
        // `passCounting` visits each template once at the end, so that it pays off only for many events.
        if passed.count > uses.count { return passCounting(passed, sign) }
        for event in passed {
            guard let number = shapes.template(of: event) else {
                wholePlace += sign
                continue
            }
            pass(sign, of: number)
        }
    }

    private mutating func passCounting(_ events: Range<Int>, _ sign: Int) {
        wholePlace += sign * shapes.addUses(by: events, to: &uses)
        for number in uses.indices where uses[number] > 0 {
            pass(sign * uses[number], of: number)
            uses[number] = 0
        }
    }

    @inline(__always)
    private mutating func pass(_ count: Int, of template: Int) {
        for index in shapes.templates.holes(of: template) { places[shapes.templates.holes[index].path] += count }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes.
    /// - Parameter end: where they begin here. It is moved behind them.
    @inline(__always)
    fileprivate func put(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, at end: inout Int) {
        guard let start = bytes.baseAddress, let own = baseAddress else { return }
        (own + end).copyMemory(from: start + range.lowerBound, byteCount: range.count)
        end += range.count
    }
}
