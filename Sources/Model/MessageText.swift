/// The text of an entry that a payload was taken from.
package struct MessageText: Sendable, Hashable {
    /// The text, without the payload if that stood in it.
    package var bytes: [UInt8]
    /// Where in `bytes` the payload stood; `nil` if the payload was made of the text (`a=1`), which is whole.
    package var payloadPlace: Int?

    package init(_ bytes: [UInt8], payloadPlace: Int? = nil) {
        self.bytes = bytes
        self.payloadPlace = payloadPlace
    }

    /// Returns the text as it came.
    package func whole(with payload: some Sequence<UInt8>) -> [UInt8] {
        guard let place = payloadPlace else { return bytes }
        return Array(bytes[..<place]) + payload + bytes[place...]
    }
}

/// What a program itself says about an event, where a rule of the settings says where that is.
package struct ProgramFacts: Sendable, Hashable {
    package var level: Level?
    /// In microseconds since 1970.
    package var timeMicroseconds: UInt64?

    package init(level: Level? = nil, timeMicroseconds: UInt64? = nil) {
        self.level = level
        self.timeMicroseconds = timeMicroseconds
    }

    package static let none = ProgramFacts()
}
