import Foundation
import TestSupport
import Testing

@testable import Daemon

struct ConfigurationTests {
    private static let plain = """
        sources: [{subsystem: "com.example.*"}]
        dictionaries: [{name: shop, path: shop}]
        predicates: {slow: took > 2s, late: "@slow and time > yesterday"}
        notifiers: [{name: log, type: journal}]
        alerts: [{name: errors, predicate: level >= error, when: {count: 1, within: 5m}, notify: [log]}]
        """

    private func configuration(_ settings: String, in root: URL) throws -> Configuration {
        let folder = root.appending(path: "shop")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("# shop\n## buy\nBought.\n\n- took: !integer\n".utf8).write(to: folder.appending(path: "shop.md"))
        let file = root.appending(path: "gloss.yaml")
        try Data(settings.utf8).write(to: file)
        return try Configuration(path: file.path)
    }

    @Test(arguments: [("store: {path: shop}", "store.path"), ("control: {socket: ./shop}", "control.socket")])
    func `a folder where a file has to be is said before it is needed`(setting: String, name: String) async throws {
        try await withTemporaryFolder { root in
            let missing = try configuration("\(Self.plain)\n\(setting)\n", in: root).missing
            #expect(
                missing.count == 1 && missing[0].hasPrefix("\(name) /")
                    && missing[0].contains("/shop: this is a folder"))
        }
    }

    @Test(arguments: [
        ("predicate: level >= error", "predicate: level >= eror", "alert errors is held: a level is one of"),
        ("predicate: level >= error", "predicate: tok == 3", "alert errors is held: there is no key"),
        ("predicate: level >= error", "predicate: time > -5m", "alert errors is held: a time in the predicate"),
        (
            "when: {count: 1,", "by: [tok], when: {count: 1,",
            "alert errors is held: events cannot be distinguished by tok"
        ),
        (
            "slow: took > 2s", "slow: took > 2s, x: tok > 2s",
            "predicate @x: there is no key and no defined parameter tok"
        ),
    ])
    func `what has no meaning is said before it is in force`(part: String, wrong: String, expected: String) async throws
    {
        try await withTemporaryFolder { root in
            #expect(try configuration(Self.plain, in: root).missing == [])
            let missing = try configuration(Self.plain.replacing(part, with: wrong), in: root).missing
            #expect(missing.count == 1 && missing[0].hasPrefix(expected), "\(missing)")
        }
    }

    @Test func `a reload says which alerts and notifiers have changed`() async throws {
        try await withTemporaryFolder { root in
            let old = try configuration(Self.plain, in: root).settings
            func changes(_ settings: String) throws -> [String] {
                try configuration(settings, in: root).changes(from: old, inForce: []).filter {
                    !$0.hasPrefix("dictionary")
                }
            }
            #expect(try changes(Self.plain) == [])
            let changed = Self.plain.replacing("count: 1,", with: "count: 2,").replacing(
                "{name: log,", with: "{name: out,"
            )
            .replacing("[log]", with: "[out]")
            #expect(
                try changes(changed) == ["alert errors changed", "notifier out is new", "notifier log is gone"])
        }
    }
}
