import API
import Foundation
import JSON

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

    /// Returns the members of an event line that a query asks for. Other lines stay as they are.
    static func part(of line: [UInt8], _ members: LineMembers) throws -> [UInt8] {
        guard case .event = try StreamLine.parse(line) else { return line }
        var query = EventQuery()
        query.members = members
        let names = query.parameters.first { $0.name == "members" }?.value.split(separator: ",").map(String.init)
        guard let names else { return line }
        let kept = try JSONScanner.members(of: line, in: 0..<line.count).filter { member in
            let name = String(decoding: line[member.key], as: UTF8.self)
            return names.contains(name == "raw_base64" ? "message" : name)
        }
        let texts = kept.map { member in
            let (name, value) = (line[member.key], line[member.value])
            return "\"\(String(decoding: name, as: UTF8.self))\":\(String(decoding: value, as: UTF8.self))"
        }
        return Array("{\(texts.joined(separator: ","))}".utf8)
    }

    static func streamLines() throws -> [StreamLine] {
        try lines("events.ndjson").map { try StreamLine.parse($0) }
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        try ControlClient.decode(type, try bytes(name))
    }
}
