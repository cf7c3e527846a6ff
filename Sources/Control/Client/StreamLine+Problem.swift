import API

extension StreamLine {
    /// Returns the problem that ended a stream, if the line has one. Other lines are not parsed.
    static func problem(in line: [UInt8]) -> Problem? {
        guard line.begins(with: PassingLines.failure), case .error(let problem)? = try? parse(line) else { return nil }
        return problem
    }

    static func problem(in lines: [[UInt8]]) -> Problem? { lines.lazy.compactMap { problem(in: $0) }.first }
}
