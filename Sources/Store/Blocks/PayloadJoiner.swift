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
        let range = shapes.templates.text(of: number)
        shapes.templates.text.withUnsafeBytes { text in
            var copied = range.lowerBound
            for index in shapes.templates.holes(of: number) {
                let hole = shapes.templates.holes[index]
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied..<hole.place]))
                copied = hole.place
                uncounted[hole.path]._withUnsafeGuaranteedRef { $0.append(places[hole.path], to: &output) }
                places[hole.path] += 1
            }
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied..<range.upperBound]))
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
