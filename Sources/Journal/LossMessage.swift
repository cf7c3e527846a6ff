import Model

/// An entry in which journald says that it did not store others.
enum LossMessage {
    /// `SD_MESSAGE_JOURNAL_DROPPED`: a service wrote more than the rate limit allows; `N_DROPPED` says how much more.
    case suppressed
    /// `SD_MESSAGE_JOURNAL_MISSED`: the kernel's log was overwritten before journald had read it.
    case missedKernelMessages

    /// - Source: sd-messages.h
    init?(messageID: UnsafeRawBufferPointer) {
        if messageID.elementsEqual("a596d6fe7bfa4994828e72309e95d61e".utf8) {
            self = .suppressed
        } else if messageID.elementsEqual("e9bf28e6e834481bb6f48f548ad13606".utf8) {
            self = .missedKernelMessages
        } else {
            return nil
        }
    }

    /// - Parameters:
    ///   - message: of the entry.
    ///   - dropped: its `N_DROPPED`.
    func gap(message: String, dropped: [UInt8]?, at cursor: JournalCursor, entryIndex: Int) -> Gap {
        let count: UInt64? =
            switch self {
            case .suppressed: dropped.flatMap { UInt64(decimal: $0) }
            // "Missed 12 kernel messages": there is no field for it.
            case .missedKernelMessages: message.split(separator: " ").lazy.compactMap { UInt64($0) }.first
            }
        return Gap(
            cause: .rateLimited, realtimeMicroseconds: cursor.realtimeMicroseconds, to: cursor, count: count,
            message: "journald: \(message)", entryIndex: entryIndex)
    }
}
