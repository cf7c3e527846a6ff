package import Model

/// The pattern of `grep`, which is matched against the text of a payload.
struct PayloadPattern {
    private enum Kind {
        /// A pattern without special characters. Bytes are compared, which is much faster.
        case literal([UInt8])
        case expression(PatternMachine)
    }

    private static let longest = 4096

    private var kind: Kind

    /// - Throws: `.invalidPattern` with the reason.
    init(_ pattern: String) throws(StoreError) {
        guard pattern.utf8.count <= Self.longest else {
            throw StoreError(
                kind: .invalidPattern, description: "a regular expression of more than \(Self.longest) bytes")
        }
        if !pattern.utf8.contains(where: { #"\^$.|?*+()[]{}"#.utf8.contains($0) }) {
            kind = .literal(Array(pattern.utf8))
            return
        }
        do throws(PatternError) {
            kind = .expression(PatternMachine(try PatternProgram(PatternParser.parse(pattern))))
        } catch {
            throw StoreError(kind: .invalidPattern, description: "\(pattern) is not a regular expression: \(error)")
        }
    }

    /// The bytes to search for, if the pattern has no special characters.
    var literal: [UInt8]? { if case .literal(let bytes) = kind { bytes } else { nil } }

    /// - Parameter turn: the result is `false` once it is cancelled.
    mutating func matches(_ payload: UnsafeRawBufferPointer, until turn: ReadTurn? = nil) -> Bool {
        switch kind {
        case .literal(let bytes): return payload.has(bytes)
        case .expression(var machine):
            // The machine is moved out temporarily, so that its memory is reused and not copied.
            kind = .literal([])
            defer { kind = .expression(machine) }
            return machine.finds(in: payload) { turn?.isCancelled ?? false }
        }
    }
}

extension EventFilter {
    /// Validates the pattern before anything is read.
    /// - Throws: `.invalidPattern` when `grep` is not a regular expression.
    package func checkPattern() throws(StoreError) {
        if let grep { _ = try PayloadPattern(grep) }
    }
}
