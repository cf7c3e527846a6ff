import Foundation
import Model

/// Findings as docs/store.md describes them.
struct DescribedFindings: Decodable {
    struct OfParameter: Decodable {
        var parameter: String
        var fault: String
        var type: String?
        var found: String?
        var least: Int64?
        var most: Int64?
        var excess: String?
        var double: Bool?
        var bytes: Int?
        var allowed: [String]?
        var more: Bool?
    }

    struct OfRule: Decodable {
        var rule: String
        var parameter: String?
    }

    var violations: [OfParameter]?
    var warnings: [OfRule]?
    var reason: String?

    /// - Returns: `nil` where there are none.
    static func findings(_ text: [UInt8]) throws -> Findings? {
        guard !text.isEmpty else { return nil }
        let read = try JSONDecoder().decode(Self.self, from: Data(text))
        return Findings(
            violations: try (read.violations ?? []).map { Violation($0.parameter, try fault($0)) },
            warnings: try (read.warnings ?? []).map { try warning($0) }, reason: read.reason)
    }

    private static func fault(_ read: OfParameter) throws -> Violation.Fault {
        let found = read.found.flatMap(ValueKind.init(rawValue:))
        switch (read.fault, read.type.map { ExactString($0) }, found, read.most) {
        case ("missing", let type?, let found, _): return .missing(type: type, found: found)
        case ("unknown-parameter", _, let found?, _): return .unknownParameter(found: found)
        case ("type", let type?, let found?, _): return .type(type, found: found)
        case ("integer", let type?, _, let most?):
            guard let least = read.least, let excess = read.excess.flatMap(Violation.Excess.init(rawValue:)) else {
                break
            }
            return .integer(type: type, allowed: least...most, excess: excess)
        case ("number", let type?, _, _): return .number(type: type, isDouble: read.double == true)
        case ("time", let type?, _, _): return .time(type: type)
        case ("length", _, _, let most?):
            guard let bytes = read.bytes else { break }
            return .length(maximum: Int(most), found: bytes)
        case ("value", _, let found?, _):
            guard let allowed = read.allowed, let more = read.more else { break }
            return .value(allowed: allowed.map { ExactString($0) }, hasMore: more, found: found)
        default: break
        }
        throw FormatError("a violation \(read)")
    }

    private static func warning(_ read: OfRule) throws -> Warning {
        switch (read.rule, read.parameter.map { ExactString($0) }) {
        case ("obsolete-event", nil): return .obsoleteEvent
        case ("obsolete-parameter", let parameter?): return .obsoleteParameter(parameter)
        case ("duplicate-key", let parameter?): return .duplicateKey(parameter)
        case ("cut", nil): return .cut
        case ("payload-field", nil): return .payloadField
        case ("sender-cut", nil): return .senderCut
        case ("program-level", nil): return .programLevel
        case ("program-time", nil): return .programTime
        default: throw FormatError("a warning \(read)")
        }
    }
}
