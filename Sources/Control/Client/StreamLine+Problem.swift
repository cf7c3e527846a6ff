import API

extension StreamLine {
    /// The problem that ended a stream, if that is what the line says. Other lines are not parsed for it.
    static func problem(in line: [UInt8]) -> Problem? {
        guard line.starts(with: #"{"type":"error""#.utf8), case .error(let problem)? = try? parse(line) else {
            return nil
        }
        return problem
    }
}
