import Foundation
import PackagePlugin

/// `swift package generate-events`: runs `gloss-dictionary generate` on the package that it is called for.
@main
struct GenerateEvents: CommandPlugin {
    private static let help = """
        Writes type-safe code for the events of a dictionary.

        swift package --allow-writing-to-package-directory generate-events [options]

          --definitions <dir>   the folder of definition files (default: definitions)
          --output <dir>        the folder that the files are written into (default: Sources/Events)
          --language <name>     swift, python, json-schema, or any name with --template (default: swift)
          --check               write nothing; fail when something would be written or removed, and say what

        Paths are relative to the package. Anything else, such as --config, --dictionary and --template, is passed on to
        `gloss-dictionary generate`; with --config or --dictionary, definitions are those of the settings.
        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        guard extractor.extractFlag(named: "help") == 0, !arguments.contains("-h") else {
            print(Self.help)
            return
        }
        let language = extractor.extractOption(named: "language").last ?? "swift"
        let output = extractor.extractOption(named: "output").last ?? "Sources/Events"
        let definitions = extractor.extractOption(named: "definitions")
        let rest = extractor.remainingArguments
        let hasSettings = rest.contains { option in
            ["--config", "--dictionary"].contains { option == $0 || option.hasPrefix("\($0)=") }
        }
        let paths = definitions.isEmpty && !hasSettings ? ["definitions"] : definitions

        let tool = Process()
        tool.executableURL = try context.tool(named: "gloss-dictionary").url
        tool.arguments = ["generate", language] + paths + ["--output", output] + rest
        tool.currentDirectoryURL = context.package.directoryURL
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationReason == .exit, tool.terminationStatus == 0 else {
            throw Failure(description: "nothing was generated, or what was generated is stale: see above")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
