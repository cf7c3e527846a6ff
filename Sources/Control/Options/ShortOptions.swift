import ArgumentParser
import Model

/// Options as people who know journalctl type them.
extension NameSpecification {
    /// A letter that a value may be attached to (`-n20`), and the long name of the property.
    static func letter(_ letter: Character, or others: Element...) -> NameSpecification {
        NameSpecification([.customShort(letter, allowingJoined: true), .long] + others)
    }
}

/// Rewrites the words of a command line that getopt(3) takes and ArgumentParser does not.
///
/// ArgumentParser takes an attached value only behind the first letter, and has no list option whose value may be left out.
/// - Source: getopt(3); journalctl(1), `--boot` and `--lines`
enum ShortOptions {
    private static let commands: Set<ExactString> = ["show", "tail", "report"]
    /// Letters without a value: others may stand behind them.
    private static let flags: Set<Character> = ["r", "f"]
    /// Options whose value may begin with a hyphen: it is no option.
    private static let unconditional: Set<ExactString> = [
        "-S", "--since", "-U", "--until", "-g", "--grep", "--user", "--device", "--socket",
    ]

    /// The same words with the letters before the last option apart, and behind a bare `-b` 0, the running boot, behind a bare
    /// `-n` 10.
    static func separated(_ words: [String]) -> [String] {
        guard let command = command(words) else { return words }
        var separated = Array(words[...command])
        var rest = words[(command + 1)...]
        while let word = rest.popFirst() {
            guard word != "--" else { return separated + [word] + rest }
            if unconditional.contains(ExactString(word)) {
                separated += [word] + [rest.popFirst()].compactMap(\.self)
                continue
            }
            let (letters, option) = splitting(word)
            separated += letters.map { "-\($0)" } + [option]
            if let value = valueLeftOut(option, next: rest.first) { separated.append(value) }
        }
        return separated
    }

    private static func valueLeftOut(_ option: String, next: String?) -> String? {
        switch option {
        case "-b", "--boot": next.map(mayBeBoot) ?? false ? nil : "0"
        case "-n", "--lines": next.flatMap { LineCount(argument: $0) } == nil ? "10" : nil
        default: nil
        }
    }

    /// Where the name of a command stands that takes filters.
    private static func command(_ words: [String]) -> Int? {
        let first = words.indices.first { index in
            !words[index].hasPrefix("-") && (index == 0 || words[index - 1] != "--socket")
        }
        return first.flatMap { commands.contains(ExactString(words[$0])) ? $0 : nil }
    }

    /// `-fn20` is `f` and `-n20`.
    private static func splitting(_ word: String) -> (letters: Substring, option: String) {
        guard word.first == "-", word.count > 2, !word.hasPrefix("--") else { return ("", word) }
        let letters = word.dropFirst().dropLast().prefix { flags.contains($0) }
        return letters.isEmpty ? ("", word) : (letters, "-\(word.dropFirst(1 + letters.count))")
    }

    /// Whether the word is a boot's id, or an offset, which journalctl takes.
    private static func mayBeBoot(_ word: String) -> Bool {
        Int(word) != nil || ID128(word.replacing("-", with: "")) != nil
    }
}
