import Model
import TestSupport
import Testing

@testable import Store

/// How values are compared with one that a predicate has.
struct ValueOrderTests {
    /// - Parameter json: a string in quotes, or another value.
    private func isMet(_ json: String, _ order: TextTest.Order, _ value: String) -> Bool {
        let isString = json.hasPrefix("\"")
        let bytes = Array((isString ? String(json.dropFirst().dropLast()) : json).utf8)
        return bytes.withUnsafeBytes { ValueOrder(order, value).accepts($0, isString: isString) }
    }

    @Test(arguments: [
        (#""25.4""#, "25.10"), (#""25.4-beta""#, "25.4"), (#""25.4-beta.2""#, "25.4-beta.10"), (#""25.4rc1""#, "25.4"),
        (#""25.4b3""#, "25.4rc1"), (#""v1.2""#, "1.2.1"), (#""25.4-1""#, "25.4-alpha"), ("5", "10"), ("-3", "-2.5"),
        ("9007199254740992", "9007199254740993"), (#""-10""#, "5"), (#""-3""#, "-2"), ("0.4", ".5"), ("4", "+5"),
        (#""300ms""#, "1s"), ("0.3", "400ms"), (#""12""#, "15s"), (#""59s""#, "1h30m"), (#""10 KB""#, "11KB"),
        (#""10kb""#, "10KiB"), (#""1.5µs""#, "3us"), (#""0.1GiB""#, "150MB"), (#""2 minutes""#, "1h"),
        (#""1.0-e\#u{301}""#, "1.0-\u{E9}"),
        (#""10M""#, "11MB"), (#""-5s""#, "300ms"), (#""-5s""#, "-300ms"), (#""-2KB""#, "-1KB"), ("-3", "-500ms"),
        ("900", "1KB"), (#""2026-11-21""#, "2026-11-22"), (#""a""#, "b"),
    ])
    func `a value is before another`(json: String, value: String) {
        #expect(isMet(json, .less, value) && isMet(json, .atMost, value))
        #expect(!isMet(json, .greater, value) && !isMet(json, .atLeast, value))
    }

    @Test(arguments: [
        (#""25.4.0+1234""#, "25.4"), (#""25.4 (1234)""#, "25.4"), (#""v25.4.0""#, "25.4"), ("25.40", "25.4"),
        (#""1000ms""#, "1s"), (#""-1000ms""#, "-1s"), ("1", "1000ms"), (#""2h30m""#, "150 min"), (#""1.5K""#, "1536B"),
        (#""10kib""#, "10 KIB"),
        (#""1 kB""#, "1000B"), ("5.0", "5"), (#""25.4-RC1""#, "25.4-rc1"),
        (#""10.3 beta 2""#, "10.3-beta-2"),
    ])
    func `a value is equal to another`(json: String, value: String) {
        #expect(isMet(json, .atMost, value) && isMet(json, .atLeast, value))
        #expect(!isMet(json, .less, value) && !isMet(json, .greater, value))
    }

    @Test(arguments: [
        (#""10KB""#, "5s"), (#""5s""#, "10KB"), (#""abc""#, "5"), (#""abc""#, "-5"), ("true", "a"), ("null", "5"),
        (#""--5s""#, "5s"), (#""-""#, "5s"), (#""a""#, "-1s"), (#""""#, "-1s"),
        (#""2026-11-21""#, "2026"), (#""nan""#, "5"), (#""""#, "5"), ("[5]", "6"), (#""10 ms""#, "5"),
        (#""4.5 ms""#, "5"), (#""1.5 GiB""#, "5"), (#""12.5 %""#, "5"),
        (#""5\#u{0}s""#, "10s"), (#""5 parsecs""#, "10s"), (#""1.2.3s""#, "10s"), (#""5 s ""#, "10s"),
        (#""5\#u{212a}B""#, "1MB"),
    ])
    func `values that cannot be compared are neither before nor behind`(json: String, value: String) {
        for order in TextTest.Order.allCases { #expect(!isMet(json, order, value)) }
    }

    @Test func `integers of a column are compared as their texts are`() {
        let values = [
            "5", "-5", "+5", "007", "5.5", "-5.5", "5e3", "300ms", "-300ms", "5KB", "1.2.3", "v5",
            "18446744073709551615", "a",
        ]
        let integers: [Int64] = [.min, -300, -6, -5, 0, 4, 5, 6, 7, 300, 5000, 5001, 9_007_199_254_740_993, .max]
        var compared = 0
        for value in values {
            for order in TextTest.Order.allCases {
                for isString in [false, true] {
                    guard let test = ValueOrder(order, value).verdictOnIntegers(isString: isString) else { continue }
                    for integer in integers {
                        let json = isString ? "\"\(integer)\"" : "\(integer)"
                        #expect(test(integer) == isMet(json, order, value), "\(json) \(order) \(value)")
                        compared += 1
                    }
                }
            }
        }
        #expect(compared > 800)
    }

    @Test func `decimal numbers are read exactly`() {
        for seed in FuzzBudget.seeds(1) {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<4000 {
                var digits = (0..<Int.random(in: 2...16, using: &random)).map { _ in
                    Character("\(Int.random(in: 0...9, using: &random))")
                }
                digits.insert(".", at: Int.random(in: 1..<digits.count, using: &random))
                let text = (Bool.random(using: &random) ? "-" : "") + String(digits)
                // With an exponent, the standard library reads it.
                #expect(isMet(text, .atMost, text + "e0") && isMet(text, .atLeast, text + "e0"), "\(text)")
            }
        }
    }
}
