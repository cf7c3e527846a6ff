import API
import Foundation

@testable import Control

/// Text files under Fixtures.
enum Fixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }

    static func lines(_ name: String) throws -> [[UInt8]] {
        try bytes(name).split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    static func streamLines() throws -> [StreamLine] {
        try lines("events.ndjson").map { try StreamLine.parse($0) }
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        try ControlClient.decode(type, try bytes(name))
    }
}
