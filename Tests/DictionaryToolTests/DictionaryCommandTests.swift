import DictionaryTool
import Synchronization
import Testing

struct DictionaryCommandTests {
    @Test func `help goes to the output and says glossctl, which is how people call it`() async {
        let reply = await Reply(["lint", "--help"])
        #expect(reply.outcome == .done && reply.errors.isEmpty)
        #expect(reply.output.contains("USAGE: glossctl lint [<path> ...]") && reply.output.contains("Examples:"))
    }

    @Test(arguments: ["lint", "generate"])
    func `examples fit a narrow terminal, so that they can be copied`(_ command: String) async {
        let lines = await Reply([command, "--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
        let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
        #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  glossctl \(command) ") }, "\(examples)")
    }

    @Test(arguments: [["lint", "--bogus"], ["bogus"], ["lint", "-o", "xml"], ["lint", "--against"]])
    func `wrong usage is status 2, and what is wrong goes to the errors`(_ arguments: [String]) async {
        let reply = await Reply(arguments)
        #expect(reply.outcome == .wrongUsage && reply.output.isEmpty && reply.errors.contains("Usage: "))
    }
}

/// What a command line wrote, and how it ended.
struct Reply {
    let output: String
    let errors: String
    let outcome: ToolOutcome

    init(
        _ arguments: [String], in folder: String = "", isTerminal: Bool = false, environment: [String: String] = [:]
    ) async {
        let shared = Shared()
        let console = ToolConsole(
            output: { text in shared.texts.withLock { $0.output += text } },
            errors: { text in shared.texts.withLock { $0.errors += text } },
            isTerminal: isTerminal, environment: environment, folder: folder)
        outcome = await DictionaryCommand.run(arguments, on: console)
        (output, errors) = shared.texts.withLock { $0 }
    }

    private final class Shared: Sendable {
        let texts = Mutex((output: "", errors: ""))
    }
}
