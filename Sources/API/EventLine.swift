package import Model

/// An event as the API's NDJSON shows it: `{"type":"event","id":4711,…}`.
///
/// Absent optionals are left out of the line; `violations` and `warnings` are always there. `uid` is the event's identity,
/// not a user's: what is known of the sender is in `SenderField`.
package struct EventLine: Sendable, Hashable {
    package var id: Int64
    package var uid: String
    package var time: WireTime
    package var bootID: String
    package var cursor: String
    package var sender: SenderValues
    package var level: Level
    package var pid: Int32?
    package var event: EventKey?
    package var dictionary: String?
    package var definitionsVersion: String?
    package var resolution: Resolution
    package var violations: [ViolationLine]
    package var warnings: [Warning]
    /// Why the event is malformed.
    package var reason: String?
    package var content: Content

    package var subsystem: String { sender[.subsystem] ?? "" }
    package var category: String { sender[.category] ?? "" }

    package enum Content: Sendable, Hashable {
        /// The payload's JSON text on one line, otherwise untouched: an object.
        case payload([UInt8])
        /// Of a `plain` or `malformed` event. `raw` is there when the bytes are not UTF-8, which `message` then
        /// repairs.
        case message(String, raw: [UInt8]?)
    }
}

/// A violation as the API has it: in words.
package struct ViolationLine: Sendable, Hashable {
    @Exact package var parameter: String
    package var rule: Violation.Rule
    /// What the definition asks for, such as `bigint` or `at most 64 bytes`.
    @Exact package var expected: String
    /// What the payload has, such as `string` or `70 bytes`; never the value itself, which may be private.
    @Exact package var found: String
}
