import ArgumentParser
import Model

/// The short options of a command, which follow journalctl.
extension NameSpecification {
    /// The letters that a value may be attached to (`-n20`), with the long names of their options.
    static func letter(_ letter: Character, or others: Element...) -> NameSpecification {
        NameSpecification([.customShort(letter, allowingJoined: true), .long] + others)
    }
}

/// Rewrites a command line that getopt(3) understands into one that ArgumentParser understands.
///
/// ArgumentParser allows an attached value only after the first letter, and has no list option with an optional value.
/// - Source: getopt(3); journalctl(1), `--boot` and `--lines`
enum ShortOptions {
    /// Letters without a value. Other letters may follow them in a word.
    private static let flags: [Character] = ["r", "f"]
    /// Options whose value may begin with a hyphen.
    private static let unconditional: [ExactString] = [
        "-S", "--since", "-U", "--until", "-g", "--grep", "--user", "--device", "--socket",
        "--predicate", "--highlight", "--template", "--program-since", "--program-until",
    ]

    /// Returns the words with combined letters separated, with 0 (the current boot) after `-b` without a value, with 10 after
    /// `-n` without a value, and with what begins like an option but is a text, such as SQL, behind `--`.
    static func separated(_ words: [String]) -> [String] {
        let (command, behind) = Glossctl.command(of: words)
        guard command is any FilteredCommand.Type else { return words }
        let takesPredicate = command == ShowCommand.self || command == TailCommand.self
        var (separated, rest, texts) = (Array(words[..<behind.startIndex]), behind, [String]())
        while let word = rest.popFirst(), word != "--" {
            guard !isText(word) else {
                texts.append(word)
                continue
            }
            let (letters, option) = splitting(word)
            separated += letters.map { "-\($0)" } + [option]
            let takesAny = unconditional.contains(ExactString(option))
            let value = takesAny ? rest.popFirst() : valueLeftOut(option, next: rest.first, takesPredicate)
            if let value { separated.append(value) }
        }
        texts += rest
        return separated + (texts.isEmpty ? [] : ["--"] + texts)
    }

    /// Whether a word begins with two hyphens and is no option: a comment of SQL.
    private static func isText(_ word: String) -> Bool {
        word.hasPrefix("--") && word.prefix { $0 != "=" }.contains(where: \.isWhitespace)
    }

    private static func valueLeftOut(_ option: String, next: String?, _ takesPredicate: Bool) -> String? {
        switch option {
        case "-b", "--boot": next.map(mayBeBoot) ?? false ? nil : "0"
        case "-n", "--lines":
            // A predicate has more than one word: then it is meant as a number.
            next.map { LineCount(argument: $0) != nil || takesPredicate && isOneWord($0) } ?? false ? nil : "10"
        default: nil
        }
    }

    private static func isOneWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 < 0x3A || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
    }

    /// Splits `-fn20` into `-f` and `-n20`.
    private static func splitting(_ word: String) -> (letters: Substring, option: String) {
        guard word.first == "-", word.count > 2, !word.hasPrefix("--") else { return ("", word) }
        let letters = word.dropFirst().dropLast().prefix { flags.contains($0) }
        return letters.isEmpty ? ("", word) : (letters, "-\(word.dropFirst(1 + letters.count))")
    }

    /// Whether the word is the id of a boot, or an offset as in journalctl.
    private static func mayBeBoot(_ word: String) -> Bool {
        Int(word) != nil || ID128(word.replacing("-", with: "")) != nil
    }
}
