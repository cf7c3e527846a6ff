import API
import Glibc
import Model
import Predicates

/// The predicates to which a user has given names, in `~/.config/gloss/predicates`.
enum UserPredicates {
    private static func path(_ console: Console) -> String? {
        Console.folder("XDG_CONFIG_HOME", orInHome: ".config", console.environment).map { "\($0)/gloss/predicates" }
    }

    /// In bytes: far more than anybody writes.
    private static let longest = 1 << 20

    /// - Returns: `nil` if there is no file.
    static func read(_ console: Console) throws(ControlError) -> NamedPredicates? {
        guard let path = path(console), access(path, F_OK) == 0 else { return nil }
        let bytes: [UInt8]
        do throws(FileError) { bytes = try ByteSource.all(of: path, atMost: longest) } catch {
            throw .wrongUsage("\(error); it should be a file with a line NAME = PREDICATE for each predicate")
        }
        do throws(NamedPredicates.Problem) {
            return try NamedPredicates(file: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .wrongUsage("\(path): \(error)")
        }
    }

    /// Returns a predicate with the user's own names, and the times that are meant here.
    static func absolute(
        _ text: String, _ times: TimeExpression, _ console: Console
    ) throws(ControlError) -> String {
        let predicate = try expanded(text, console)
        do throws(PredicateError) {
            let syntax = try PredicateParser.parse(predicate)
            if syntax.hasJournalFields, console.errorWidth() != nil {
                console.complain("journal fields are read from the journal, event by event, which is slow")
            }
            return try syntax.withAbsoluteTimes(predicate, times)
        } catch {
            throw .wrongUsage("\(error)")
        }
    }

    /// Returns a predicate with the texts of the user's names in it. The daemon may know others.
    static func expanded(_ text: String, _ console: Console) throws(ControlError) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")), let named = try read(console) else { return text }
        do throws(PredicateError) {
            return try named.expanded(text)
        } catch {
            throw .wrongUsage("\(error)")
        }
    }

    /// Returns what an error of the daemon lacks that is about an unknown name: those that only the user has.
    /// - Parameter arguments: the command line. In files, such as checklists, the user's own names do not count.
    /// - Returns: `nil` if it is about something else, or there are none.
    static func hint(for error: ControlError, of arguments: [String], _ console: Console) -> String? {
        guard case .refused(let problem) = error,
            let unknown = problem.detail?.firstMatch(of: #/there is no predicate @([^;]*);/#)?.1,
            arguments.contains(where: { ((try? expanded($0, console)) ?? $0).contains("@\(unknown)") }),
            let own = try? read(console)?.texts.keys.sorted().map(\.text), !own.isEmpty
        else { return nil }
        let near = EditDistance.nearest(to: String(unknown), among: own)
        return near.map { "Did you mean your own @\($0)?" }
            ?? "Your own are \(own.map { "@\($0)" }.joined(separator: ", "))."
    }
}
