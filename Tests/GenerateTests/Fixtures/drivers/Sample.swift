/// Values for the parameters of events. Variant 0 has nothing that is optional; the others have the types' limits.
final class Sample {
    static let variants = 5

    let variant: Int
    /// The place of the value that its type allows and its definition does not.
    private let broken: String
    /// The places where a value can be broken in this way.
    private(set) var breakable: Set<String> = []

    init(variant: Int, broken: String = "") {
        self.variant = variant
        self.broken = broken
    }

    /// - Parameter limits: the most bytes of a text or elements of an array, then the same for these elements.
    func callAsFunction<Value: Sampled>(_ place: String, _ limits: ArraySlice<Int?>) -> Value {
        if let broken = Value.broken(place, limits) {
            breakable.insert(place)
            if place == self.broken { return broken }
        }
        return .sample(self, place, limits)
    }
}

protocol Sampled {
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> Self
    /// - Returns: `nil` when its type allows nothing that definitions do not.
    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> Self?
}

/// A type whose values have nothing within them.
protocol PlainSampled: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self
}

extension Sampled {
    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> Self? { nil }
}

extension PlainSampled {
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> Self {
        sample(s.variant, (limits.first ?? nil) ?? 40)
    }
}

extension Sampled where Self: CaseIterable {
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> Self {
        let all = Array(allCases)
        return all[(s.variant + place.utf8.count) % all.count]
    }
}

extension Array: Sampled where Element: Sampled {
    /// As many as there may be; without a limit, the number of the variant.
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> [Element] {
        let count = s.variant == 0 ? 0 : (limits.first ?? nil) ?? s.variant
        return (0..<count).map { s("\(place)[\($0)]", limits.dropFirst()) }
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> [Element]? {
        let sound = Sample(variant: 1)
        return (limits.first ?? nil).map { maximum in
            (0...maximum).map { Element.sample(sound, "\(place)[\($0)]", limits.dropFirst()) }
        }
    }
}

extension Optional: Sampled where Wrapped: Sampled {
    /// Of elements, the second is null.
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> Wrapped? {
        let isNone = place.hasSuffix("]") ? place.hasSuffix("[1]") : s.variant == 0
        return isNone ? nil : .some(.sample(s, place, limits))
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> Wrapped?? {
        Wrapped.broken(place, limits).map { .some($0) }
    }
}

extension PlainSampled where Self: FixedWidthInteger {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self { [0, .min, .max, 1, 42][variant] }
}

extension Int16: PlainSampled {}
extension Int32: PlainSampled {}
extension Int64: PlainSampled {}

extension PlainSampled where Self: BinaryFloatingPoint {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self {
        [0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e20][variant]
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> Self? {
        place.utf8.count % 2 == 0 ? .nan : .infinity
    }
}

extension Float: PlainSampled {}
extension Double: PlainSampled {}

extension Bool: PlainSampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Bool { variant % 2 == 0 }
}

extension String: PlainSampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> String {
        switch variant {
        case 0: return ""
        case 1: return String(repeating: "é", count: maximumBytes / 2) + String(repeating: "e", count: maximumBytes % 2)
        case 2: return String(repeating: "\u{0}", count: maximumBytes)
        default:
            var text = ""
            for scalar in "\"\\\n\r\t\u{1F}\u{7F}/\u{2028}😀</script>".unicodeScalars
            where text.utf8.count + String(scalar).utf8.count <= maximumBytes {
                text.unicodeScalars.append(scalar)
            }
            return text
        }
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> String? {
        (limits.first ?? nil).map { String(repeating: "é", count: $0 / 2) + ($0 % 2 == 0 ? "e" : "ee") }
    }
}

extension EventDate: PlainSampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventDate {
        let days = [(2026, 11, 21), (1, 1, 1), (294_276, 12, 31), (2000, 2, 29), (12345, 6, 30)]
        return EventDate(year: days[variant].0, month: days[variant].1, day: days[variant].2)!
    }
}

extension EventTimestamp: PlainSampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventTimestamp {
        let date = EventDate.sample(variant, maximumBytes)
        return EventTimestamp(date: date, hour: 23, minute: variant, second: 59, microsecond: 999_999)!
    }
}

extension EventInstant: PlainSampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventInstant {
        EventInstant(
            microsecondsSince1970: [0, -62_135_596_800_000_000, .max, -1, 1_795_248_000_123_456][variant])!
    }
}

extension EventJSON: Sampled {
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> EventJSON {
        [
            .integer(.min), .string(.sample(3, 40)),
            .array([
                .integer(1), .array([]), .boolean(false), .string("x"), .number(.leastNonzeroMagnitude), .null,
                .object(["a": .null, .sample(3, 40): .array([.object([:])])]),
            ]),
            .array([.nested(levels: levelsLeft(at: place) - 1)]), .boolean(true),
        ][s.variant]
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> EventJSON? {
        .array([place.utf8.count % 2 == 0 ? .object(["": .number(.nan)]) : .nested(levels: levelsLeft(at: place))])
    }
}

extension EventJSON.Element: Sampled {
    static func sample(_ s: Sample, _ place: String, _ limits: ArraySlice<Int?>) -> EventJSON.Element {
        [
            .object([:]), .object(["": .null, .sample(3, 40): .array([.null])]), .number(1.5),
            nested(levels: levelsLeft(at: place)), .array([.object(["a": .integer(.max)])]),
        ][s.variant]
    }

    static func broken(_ place: String, _ limits: ArraySlice<Int?>) -> EventJSON.Element? {
        place.utf8.count % 2 == 0 ? .null : nested(levels: levelsLeft(at: place) + 1)
    }

    static func nested(levels: Int) -> EventJSON.Element {
        (1..<levels).reduce(.array([])) { value, level in level % 2 == 0 ? .object(["": value]) : .array([value]) }
    }
}

/// Returns how many arrays and objects a value may have within each other, besides those around the parameters.
func levelsLeft(at place: String) -> Int {
    let around = place.hasPrefix("common/") ? 0 : levelsAroundParameters
    return 127 - around - place.split(separator: "/").last!.count { $0 == "." || $0 == "[" }
}
