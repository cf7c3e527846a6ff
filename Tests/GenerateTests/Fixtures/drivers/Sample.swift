/// Values for the parameters of events. Variant 0 has nothing that is optional; the others have the types' limits.
struct Sample {
    static let variants = 5

    var variant: Int
    /// The parameter that gets a value which its type allows and its definition does not.
    var broken: String

    func callAsFunction<Value: Sampled>(_ key: String, _ maximumBytes: Int = 40) -> Value {
        key == broken ? .broken(maximumBytes) : .sample(variant, maximumBytes)
    }

    func callAsFunction<Value: Sampled>(_ key: String, _ maximumBytes: Int = 40) -> Value? {
        if key == broken { return .broken(maximumBytes) }
        return variant == 0 ? nil : .sample(variant, maximumBytes)
    }

    func callAsFunction<Value: CaseIterable>(_ key: String, _ maximumBytes: Int = 40) -> Value {
        let all = Array(Value.allCases)
        return all[variant % all.count]
    }

    func callAsFunction<Value: CaseIterable>(_ key: String, _ maximumBytes: Int = 40) -> Value? {
        let all = Array(Value.allCases)
        return variant == 0 ? nil : all[(all.count - 1 + variant) % all.count]
    }
}

protocol Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self
    static func broken(_ maximumBytes: Int) -> Self
}

extension Sampled {
    static func broken(_ maximumBytes: Int) -> Self { sample(1, maximumBytes) }
}

extension Sampled where Self: FixedWidthInteger {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self { [0, .min, .max, 1, 42][variant] }
}

extension Int16: Sampled {}
extension Int32: Sampled {}
extension Int64: Sampled {}

extension Sampled where Self: BinaryFloatingPoint {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Self {
        [0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e20][variant]
    }

    static func broken(_ maximumBytes: Int) -> Self { maximumBytes % 2 == 0 ? .nan : .infinity }
}

extension Float: Sampled {}
extension Double: Sampled {}

extension Bool: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> Bool { variant % 2 == 0 }
}

extension String: Sampled {
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

    static func broken(_ maximumBytes: Int) -> String {
        String(repeating: "é", count: maximumBytes / 2) + (maximumBytes % 2 == 0 ? "e" : "ee")
    }
}

extension EventDate: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventDate {
        let days = [(2026, 11, 21), (1, 1, 1), (294_276, 12, 31), (2000, 2, 29), (12345, 6, 30)]
        return EventDate(year: days[variant].0, month: days[variant].1, day: days[variant].2)!
    }
}

extension EventTimestamp: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventTimestamp {
        let date = EventDate.sample(variant, maximumBytes)
        return EventTimestamp(date: date, hour: 23, minute: variant, second: 59, microsecond: 999_999)!
    }
}

extension EventInstant: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventInstant {
        EventInstant(
            microsecondsSince1970: [0, -62_135_596_800_000_000, .max, -1, 1_795_248_000_123_456][variant])!
    }
}

extension EventJSON: Sampled {
    static func sample(_ variant: Int, _ maximumBytes: Int) -> EventJSON {
        [
            .integer(.min), .string(.sample(3, 40)),
            .array([
                .integer(1), .array([]), .boolean(false), .string("x"), .number(.leastNonzeroMagnitude), .null,
                .object(["a": .null, .sample(3, 40): .array([.object([:])])]),
            ]),
            .array([nested(levels: 126)]), .boolean(true),
        ][variant]
    }

    static func broken(_ maximumBytes: Int) -> EventJSON { .array([.object(["": .number(.nan)])]) }

    private static func nested(levels: Int) -> Element {
        (1..<levels).reduce(.array([])) { value, level in level % 2 == 0 ? .object(["": value]) : .array([value]) }
    }
}
