import Foundation

/// Does the parts that were asked for, one after the other. One that fails does not take the others' figures with it.
final class BenchRun {
    private var table = ResultTable()
    private var questions: [QuestionTable] = []
    private(set) var failures: [String] = []
    private let start = ContinuousClock.now

    func part(_ what: String, _ body: () async throws -> [BenchResult]) async {
        say("\(Int((ContinuousClock.now - start) / .seconds(1))) s: \(what) ...")
        do {
            table.add(try await body())
        } catch {
            fail("\(what): \(error)")
        }
    }

    func add(_ table: QuestionTable) { questions.append(table) }

    /// Notes what has no figures, or has wrong ones.
    func fail(_ text: String) {
        failures.append(text)
        say("  failed: \(text)")
    }

    /// The figures, and what there are none of.
    var text: String {
        let missing = failures.map { "failed: \($0)\n" }.joined()
        let tables = (table.isEmpty ? [] : [table.text]) + questions.map(\.text)
        return "\n\(ProcessInfo.processInfo.processorCount) cores\n\n\(tables.joined(separator: "\n\n"))\n\(missing)"
    }
}

/// Prints at once, also into a file.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
