import API
import JSON

extension StreamLine {
    /// Returns the problem that ended a stream, if the line has one. Other lines are not parsed.
    static func problem(in line: [UInt8]) -> Problem? {
        let failure = PassingLines.failure
        guard failure.hasSameBytes(as: line.prefix(failure.count)), case .error(let problem)? = try? parse(line)
        else { return nil }
        return problem
    }
}
