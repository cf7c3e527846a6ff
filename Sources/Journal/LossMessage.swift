import Model

/// A message in which journald reports that it did not store other entries.
enum LossMessage {
    /// `SD_MESSAGE_JOURNAL_DROPPED`: a service exceeded the rate limit; `N_DROPPED` is the number of dropped entries.
    case suppressed
    /// `SD_MESSAGE_JOURNAL_MISSED`: the kernel's log was overwritten before journald read it.
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
    ///   - message: the entry's MESSAGE.
    ///   - dropped: the entry's `N_DROPPED`.
    func gap(message: String, dropped: [UInt8]?, at cursor: JournalCursor, entryIndex: Int) -> Gap {
        let count: UInt64? =
            switch self {
            case .suppressed: dropped.flatMap { UInt64(decimal: $0) }
            // "Missed 12 kernel messages": no field has the number.
            case .missedKernelMessages: message.split(separator: " ").lazy.compactMap { UInt64($0) }.first
            }
        return Gap(
            cause: .rateLimited, realtimeMicroseconds: cursor.realtimeMicroseconds, to: cursor, count: count,
            message: "journald: \(message)", entryIndex: entryIndex)
    }
}
