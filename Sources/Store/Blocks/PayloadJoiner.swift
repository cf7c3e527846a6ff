/// Puts the payloads of a block together again, one after the other.
struct PayloadJoiner {
    private let templates: [PayloadTemplate]
    private let columns: [PackedValues]
    private let whole: PackedValues
    /// How many values of each path lie before the next event, and how many payloads that are kept whole.
    private var places: [Int]
    private var wholePlace = 0

    /// - Parameter columns: by path; all that the templates have.
    init(templates: [PayloadTemplate], columns: [PackedValues], whole: PackedValues) {
        self.templates = templates
        self.columns = columns
        self.whole = whole
        places = [Int](repeating: 0, count: columns.count)
    }

    /// Appends the payload of the next event.
    /// - Parameter template: its own; `nil` when it is kept whole.
    mutating func append(_ template: Int?, to output: inout [UInt8]) throws(BlockDamage) {
        guard let template else {
            guard wholePlace < whole.count else { throw Self.missing }
            whole.append(wholePlace, to: &output)
            wholePlace += 1
            return
        }
        var copied = 0
        for hole in templates[template].holes {
            output.append(contentsOf: templates[template].text[copied..<hole.place])
            copied = hole.place
            let place = places[hole.path]
            guard place < columns[hole.path].count else { throw Self.missing }
            columns[hole.path].append(place, to: &output)
            places[hole.path] = place + 1
        }
        output.append(contentsOf: templates[template].text[copied...])
    }

    /// Goes past the next event.
    mutating func skip(_ template: Int?) {
        guard let template else {
            wholePlace += 1
            return
        }
        for hole in templates[template].holes { places[hole.path] += 1 }
    }

    private static let missing = BlockDamage("a payload lacks a value")
}
