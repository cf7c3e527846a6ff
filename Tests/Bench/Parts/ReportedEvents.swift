import Foundation
import Model
import TestSupport

/// As a busy machine sends them in some days: 200 events of 10,000 definitions, sent by 40 programs, each event by four of
/// them, over 5 boots; of twenty events two violate their definition and one is not defined, of two hundred one has no key
/// and one is malformed.
struct ReportedEvents: StoredEvents {
    let count: Int
    private let payloads: [[UInt8]]
    private let origins: [Origin]

    private static let undefinedNames = 1000
    private static let programs = 40
    private static let boots = 5

    init(count: Int, of dictionary: GeneratedDictionary) {
        self.count = count
        payloads = (0..<20 * Self.undefinedNames).map { Array(Self.text($0, dictionary).utf8) }
        origins = (0..<Self.boots * Self.programs).map(Self.origin)
    }

    func payload(_ number: Int) -> [UInt8] { payloads[kind(number)] }

    func level(_ number: Int) -> Level { number % 7 == 0 ? .warning : .notice }

    func origin(_ number: Int) -> Origin {
        let program = kind(number) / 20 * 4 + number % 4
        return origins[boot(number) * Self.programs + program % Self.programs]
    }

    /// A step that shares no factor with what it goes through mixes what comes.
    private func kind(_ number: Int) -> Int { number &* 7919 % payloads.count }

    private func boot(_ number: Int) -> Int { number * Self.boots / count }

    /// The number of an event's category; `nil` without a key.
    private func category(_ number: Int) -> Int? {
        let kind = kind(number)
        switch kind % 20 {
        case 15: return kind / 20
        case 17 where kind / 20 % 10 == 0: return nil
        case 18 where kind / 20 % 10 == 0: return nil
        default: return kind / 20 % 200 / 10
        }
    }

    private static func text(_ kind: Int, _ dictionary: GeneratedDictionary) -> String {
        let good = String(decoding: dictionary.payload(kind / 20 % 200), as: UTF8.self)
        return switch kind % 20 {
        case 3: good.replacing("\"position\":3,", with: "")
        case 9: good.replacing("\"position\":3", with: "\"position\":\"third\",\"page\":1")
        case 15:
            """
            {"event_category":"category_\(kind / 20)","event_name":"tap_buton_\(kind / 20 % 7)","user_id":1234567890}
            """
        case 17 where kind / 20 % 10 == 0: #"{"state":"ready","user_id":1234567890}"#
        case 18 where kind / 20 % 10 == 0: String(good.dropLast())
        default: good
        }
    }

    private static func bootID(_ boot: Int) -> ID128 { ID128(high: UInt64(boot + 1), low: 2) }

    private static func origin(_ number: Int) -> Origin {
        let (boot, program) = (number / programs, number % programs)
        return Origin(
            [
                .subsystem: "com.example.shop", .category: "ActivityLog", .host: "web1",
                .identifier: "program\(program)", .unit: "program\(program).service", .processUID: "1000",
            ], bootID: bootID(boot), seqnumID: ID128(high: 3, low: 4), source: "bench")
    }

    // MARK: filters

    var filters: [ReportTimes.Filter] {
        let tenth = count / 10 * 9
        let since = FilledStore.start + UInt64(tenth) * FilledStore.step
        return [
            filter("", "") { _ in true },
            filter(" of one event category", "&event=category_1/*", isOfKeys: true) { category($0) == 1 },
            filter(" of one level", "&level=warning") { level($0) == .warning },
            filter(" of one boot", "&boot=\(Self.bootID(3))") { boot($0) == 3 },
            filter(" of the last tenth of the time", "&since=\(since)") { $0 >= tenth },
            filter(" of all the time", "&since=1") { _ in true },
        ]
    }

    private func filter(
        _ what: String, _ query: String, isOfKeys: Bool = false, takes: (Int) -> Bool
    ) -> ReportTimes.Filter {
        ReportTimes.Filter(what: what, query: query, events: (0..<count).count(where: takes), isOfKeys: isOfKeys)
    }
}
