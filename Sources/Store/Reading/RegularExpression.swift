internal import CPCRE2
internal import Linux

/// A regular expression of PCRE2, as in `journalctl --grep`. It is interpreted: the unit forbids memory that can be
/// written and executed, which PCRE2's compiler would need.
final class RegularExpression {
    let pattern: String
    private let options: UInt32
    private let code: OpaquePointer
    /// The same with a call of `Watch` before each part of the pattern, for large texts. It is compiled when it is needed.
    private var watchedCode: OpaquePointer?
    private let match: OpaquePointer
    private let context: OpaquePointer

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The most steps of a search in a small text. A million take 10 to 50 ms, and an expression that explodes ends there.
    private static let mostSteps: UInt32 = 1_000_000
    /// The most memory of a search, in KiB.
    private static let mostMemory: UInt32 = 4096
    /// The size above which a search is watched, because a step may take as long as reading the whole text.
    private static let largeText = 4096
    /// The most time of a search in a large text, and of all searches of a turn: a block has thousands of texts.
    private static let mostTime = Duration.seconds(2)
    /// What it has done in the turn that it was used in last.
    private var use = Use()

    /// - Throws: what is wrong, and where.
    init(_ pattern: String, ignoresCase: Bool) throws(Failure) {
        // Text that is no UTF-8 matches up to the byte that is none, and behind it. \C would match a part of a character.
        let always = UInt32(PCRE2_UTF) | UInt32(PCRE2_MATCH_INVALID_UTF) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        let options = ignoresCase ? always | UInt32(PCRE2_CASELESS) : always
        let code = try Self.compiled(pattern, options)
        // A failed allocation ends the program, as everywhere in Swift.
        guard let match = pcre2_match_data_create_8(1, nil), let context = pcre2_match_context_create_8(nil) else {
            fatalError("no memory for a search")
        }
        (self.pattern, self.options, self.code, self.match, self.context) = (pattern, options, code, match, context)
        pcre2_set_match_limit_8(context, Self.mostSteps)
        pcre2_set_heap_limit_8(context, Self.mostMemory)
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_match_data_free_8(match)
        pcre2_code_free_8(code)
        pcre2_code_free_8(watchedCode)
    }

    private static func compiled(_ pattern: String, _ options: UInt32) throws(Failure) -> OpaquePointer {
        var (error, offset, pattern) = (CInt(), 0, pattern)
        let code = pattern.withUTF8 { pcre2_compile_8($0.baseAddress, $0.count, options, &error, &offset, nil) }
        guard let code else { throw Failure(description: "byte \(offset): \(message(error))") }
        return code
    }

    /// - Parameter turn: the result is `false` once it is cancelled.
    /// - Throws: if the search takes too long, or too much memory.
    func finds(in text: UnsafeRawBufferPointer, until turn: ReadTurn?) throws(Failure) -> Bool {
        if turn?.isCancelled == true { return false }
        guard use.isShort(in: turn, isLarge: text.count > Self.largeText) else { throw Self.tooLong }
        if text.count <= Self.largeText { return try finds(in: text, code) }
        let watch = Watch(turn: turn, end: .now + Self.mostTime)
        pcre2_set_match_limit_8(context, .max)
        pcre2_set_callout_8(context, Watch.look, Unmanaged.passUnretained(watch).toOpaque())
        defer {
            pcre2_set_callout_8(context, nil, nil)
            pcre2_set_match_limit_8(context, Self.mostSteps)
        }
        return try withExtendedLifetime(watch) { () throws(Failure) in try finds(in: text, watched()) }
    }

    private func finds(in text: UnsafeRawBufferPointer, _ code: OpaquePointer) throws(Failure) -> Bool {
        let bytes = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // This is faster than PCRE2's own check.
        let options = isText(text) ? UInt32(PCRE2_NO_UTF_CHECK) : 0
        let result = pcre2_match_8(code, bytes, text.count, 0, options, match, context)
        switch result {
        case 0...: return true
        case PCRE2_ERROR_NOMATCH, Watch.wasCancelled: return false
        case Watch.tookTooLong: throw Self.tooLong
        default: throw Failure(description: Self.message(result))
        }
    }

    private static let tooLong = Failure(description: "more than \(mostTime)")

    private func watched() throws(Failure) -> OpaquePointer {
        if let watchedCode { return watchedCode }
        let code = try Self.compiled(pattern, options | UInt32(PCRE2_AUTO_CALLOUT))
        watchedCode = code
        return code
    }

    /// The searches of a turn.
    private struct Use {
        private var turn: ReadTurn?
        private var searches = 0
        /// The processor time of the thread when the turn began.
        private var begin = Duration.zero
        /// Between so many, the clock is not looked at.
        private static let stride = 16

        /// Counts a search.
        /// - Returns: `false` if the turn has taken too long.
        mutating func isShort(in turn: ReadTurn?, isLarge: Bool) -> Bool {
            guard let turn else { return true }
            if turn !== self.turn { (self.turn, searches, begin) = (turn, 0, threadTime()) }
            searches += 1
            guard isLarge || searches % Self.stride == 0 else { return true }
            return threadTime() - begin < RegularExpression.mostTime
        }
    }

    /// Ends a search that was cancelled, or takes too long.
    private final class Watch {
        private let turn: ReadTurn?
        private let end: ContinuousClock.Instant

        init(turn: ReadTurn?, end: ContinuousClock.Instant) { (self.turn, self.end) = (turn, end) }

        /// The results of a search that was ended. PCRE2 has no errors with these numbers.
        static let (wasCancelled, tookTooLong): (CInt, CInt) = (-1001, -1002)

        static let look:
            @convention(c) (UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?) -> CInt = {
                _, watch in
                guard let watch else { return 0 }
                let me = Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue()
                if me.turn?.isCancelled == true { return wasCancelled }
                return .now > me.end ? tookTooLong : 0
            }
    }

    private static func message(_ error: CInt) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = pcre2_get_error_message_8(error, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(Int(max(0, count))), as: UTF8.self)
        }
    }
}
