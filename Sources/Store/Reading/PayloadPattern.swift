package import Model

/// What `grep` asks for, on the text of a payload.
struct PayloadPattern {
    private enum Kind {
        /// Without any special character: bytes are compared, which is much faster.
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

    /// The bytes that are looked for, where there is nothing else to it.
    var literal: [UInt8]? { if case .literal(let bytes) = kind { bytes } else { nil } }

    /// - Parameter turn: when it is given up, the answer is no.
    mutating func matches(_ payload: UnsafeRawBufferPointer, until turn: ReadTurn? = nil) -> Bool {
        switch kind {
        case .literal(let bytes): return payload.has(bytes)
        case .expression(var machine):
            // Taken out for the moment, so that its memory is used anew and not copied.
            kind = .literal([])
            defer { kind = .expression(machine) }
            return machine.finds(in: payload) { turn?.isGivenUp ?? false }
        }
    }
}

extension EventFilter {
    /// What reading would find wrong, before there is anything to read.
    /// - Throws: `.invalidPattern` when `grep` is not a regular expression.
    package func checkPattern() throws(StoreError) {
        if let grep { _ = try PayloadPattern(grep) }
    }
}
