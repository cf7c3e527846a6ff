package import ArgumentParser

/// The root command of gloss-dictionary: what is done with definition files themselves, without a daemon.
package struct DictionaryCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gloss-dictionary", abstract: "Checks definition files, and generates code from them.")

    package init() {}
}
