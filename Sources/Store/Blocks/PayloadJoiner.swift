/// Puts the payloads of a block together again, one after the other.
struct PayloadJoiner {
    private let shapes: PayloadShapes
    private let columns: [PackedValues]
    /// The same: counting who has each would take longer than reading a value.
    private let uncounted: [Unmanaged<PackedValues>]
    private let whole: PackedValues
    /// How many values of each path lie before the next event, and how many payloads that are kept whole.
    private var places: [Int]
    private var wholePlace = 0
    private var event = 0

    /// - Parameters:
    ///   - columns: by path, as many values as the shapes have.
    ///   - whole: likewise.
    init(shapes: PayloadShapes, columns: [PackedValues], whole: PackedValues) {
        self.shapes = shapes
        self.columns = columns
        uncounted = columns.map { Unmanaged.passUnretained($0) }
        self.whole = whole
        places = [Int](repeating: 0, count: columns.count)
    }

    /// Appends the payload of the next event.
    mutating func append(to output: inout [UInt8]) {
        defer { event += 1 }
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

    /// Goes past the next event.
    mutating func skip() {
        defer { event += 1 }
        guard let number = shapes.template(of: event) else {
            wholePlace += 1
            return
        }
        for index in shapes.templates.holes(of: number) { places[shapes.templates.holes[index].path] += 1 }
    }
}
