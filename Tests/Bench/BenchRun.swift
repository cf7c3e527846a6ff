import Foundation

/// Does the parts that were asked for, one after the other. One that fails does not take the others' figures with it.
final class BenchRun {
    private var table = ResultTable()
    private(set) var failures: [String] = []
    private let start = ContinuousClock.now

    func part(_ what: String, _ body: () async throws -> [BenchResult]) async {
        say("\(Int((ContinuousClock.now - start) / .seconds(1))) s: \(what) ...")
        do {
            table.add(try await body())
        } catch {
            failures.append("\(what): \(error)")
            say("  failed: \(error)")
        }
    }

    /// The figures, and what there are none of.
    var text: String {
        let missing = failures.map { "failed: \($0)\n" }.joined()
        return "\n\(ProcessInfo.processInfo.processorCount) cores\n\n\(table.text)\n\(missing)"
    }
}

/// Tells at once, also into a file.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
