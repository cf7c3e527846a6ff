import ArgumentParser
import Model
import Predicates

/// The word of a command line that has to be completed.
struct TypedWord: Sendable {
    /// What stays, without a quote that opens the argument: shells keep that by themselves.
    private let before: String
    /// The beginning of what is looked for.
    let word: String

    /// - Parameters:
    ///   - words: those of the command line.
    ///   - place: which of them it is.
    ///   - prefix: what is before the cursor.
    ///   - separators: the characters behind which a new word begins.
    init(_ words: [String], _ place: Int, _ prefix: String, separators: String = "") {
        var typed = prefix[...]
        if let whole = words.indices.contains(place) ? words[place] : nil, let quote = whole.first,
            "'\"".contains(quote)
        {
            // zsh counts the cursor's place in the last piece of a quoted argument.
            typed = (CompletionShell.requesting == .zsh ? whole[...] : typed).dropFirst()
        }
        let end = typed.lastIndex { separators.contains($0) }
        before = end.map { String(typed[...$0]) } ?? ""
        word = String(typed[(end.map { typed.index(after: $0) } ?? typed.startIndex)...])
    }

    /// The key whose value the word is, in a predicate that is typed.
    var keyOfValue: String? {
        let tokens = before.split { " (".contains($0) }
        guard tokens.count >= 2, let operation = tokens.last, before.last == " " else { return nil }
        let name = operation.hasSuffix("[c]") ? operation.dropLast(3) : operation
        guard Self.operations.contains(String(name)) else { return nil }
        return String(tokens[tokens.count - 2])
    }

    private static let operations: Set = [
        "==", "=", "!=", "<", "<=", ">", ">=", "contains", "beginswith", "endswith", "like",
    ]

    /// Returns what the argument may become.
    func completed(by suggestions: [String]) -> [String] {
        suggestions.filter { $0.hasPrefix(word) && SafeText.isSafe($0) }
            .map { Self.escaped(before + $0) }
    }

    private static func escaped(_ text: String) -> String {
        CompletionShell.requesting == .bash ? quotedForBash(text) : text
    }

    /// Returns a word of the list of bash's `compgen -W`, which expands it as it does words of a command. Senders choose
    /// what is in it, so that everything that could have a meaning there is quoted.
    static func quotedForBash(_ text: String) -> String {
        // By bytes: a quote with an accent behind it is another character, but bash reads a quote.
        let bytes = text.utf8.flatMap { byte in
            byte >= 0x80 || byte.isNameByte || "/.,:=@%+-".utf8.contains(byte) ? [byte] : [UInt8(ascii: "\\"), byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a value as it is written in a predicate.
    static func value(_ text: String, isQuoted: Bool) -> String {
        let isWord =
            text.utf8.allSatisfy { $0.isNameByte || "./".utf8.contains($0) } && !text.isEmpty
            && !["nil", "null"].contains(text.lowercased())
        return isWord && !isQuoted ? text : PredicateSyntax.quoted(text)
    }
}
