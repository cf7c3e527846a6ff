internal import JSON

/// Assembles payloads of a block from their templates and values.
struct PayloadJoiner {
    private let shapes: PayloadShapes
    private let columns: [PackedValues]
    /// The same columns without reference counting, which would take longer than reading a value.
    private let uncounted: [Unmanaged<PackedValues>]
    private let whole: PackedValues
    /// The number of values of each path before the next event. `wholePlace` is the same for the payloads that are
    /// kept whole.
    private var places: [Int]
    private var wholePlace = 0
    private var next = 0
    /// The number of skipped events that have each template. All are 0 except while events are being counted.
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

    /// Appends the payload of an event.
    /// - Parameter event: must not be before the previous one.
    mutating func append(_ event: Int, to output: inout [UInt8]) {
        pass(to: event)
        next = event + 1
        guard let number = shapes.template(of: event) else {
            whole.append(wholePlace, to: &output)
            wholePlace += 1
            return
        }
        let text = shapes.templates.text(of: number)
        let (template, columns) = (shapes.templates.holes[shapes.templates.holes(of: number)], uncounted)
        places.withUnsafeMutableBufferPointer { places in
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
                            values.withDistinct(values.distinctNumber(places[hole.path])) { value in
                                output.put(value, 0..<value.count, at: &end)
                            }
                        }
                        places[hole.path] += 1
                    }
                    output.put(bytes, copied..<text.upperBound, at: &end)
                    return end
                }
            }
        }
    }

    /// Skips all events before this one.
    private mutating func pass(to event: Int) {
        guard next < event else { return }
        // `passCounting` visits each template once at the end, so that it pays off only for many events.
        if event - next > uses.count { return passCounting(next..<event) }
        for event in next..<event {
            guard let number = shapes.template(of: event) else {
                wholePlace += 1
                continue
            }
            pass(1, of: number)
        }
    }

    private mutating func passCounting(_ events: Range<Int>) {
        wholePlace += shapes.addUses(by: events, to: &uses)
        for number in uses.indices where uses[number] > 0 {
            pass(uses[number], of: number)
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
