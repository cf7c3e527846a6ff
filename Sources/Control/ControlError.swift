package import API
import Model

/// What glossctl's exit status says. Scripts rely on the numbers.
package enum Outcome: Int32, Sendable {
    case done = 0
    /// Nothing was found, or the answer is "no" or "not yet".
    case no = 1
    case wrongUsage = 2
    /// The daemon cannot be reached, or went away.
    case unreachable = 3
    /// A program that glossctl runs is not there. As shells and env(1) say it: the numbers below are the program's own.
    case notInstalled = 127
    /// As shells report what ended by SIGINT.
    case interrupted = 130

    /// What the help of each command says.
    package static let help =
        #"Exit status: 0 done; 1 nothing found, "no" or "not yet"; 2 wrong usage; 3 glossd cannot be reached."#
}

/// Why a command could not do what it was asked.
package enum ControlError: Error, Sendable, CustomStringConvertible {
    case wrongUsage(String)
    /// The answer, where it is not the one that was hoped for.
    case no(String)
    /// Nothing matches what was asked for: a sentence of its own, as no failure is reported.
    case nothing(String)
    case unreachable(socket: String, why: String, hint: String)
    /// The daemon ended a stream that has no end of its own.
    case left(socket: String)
    /// The daemon answered with a problem document.
    case refused(Problem)
    /// The daemon's answer cannot be understood.
    case badReply(String)
    /// The answer is not of the shape that this glossctl knows.
    case otherShape
    /// A program that glossctl runs in its own place is not there, or does not start.
    case notInstalled(String)
    case interrupted

    package var status: Outcome {
        switch self {
        case .wrongUsage: .wrongUsage
        case .refused(let problem): problem.status == 400 || problem.parameter != nil ? .wrongUsage : .no
        case .unreachable, .left, .otherShape: .unreachable
        case .no, .nothing, .badReply: .no
        case .notInstalled: .notInstalled
        case .interrupted: .interrupted
        }
    }

    /// In words; empty where there is nothing to say.
    package var description: String {
        switch self {
        case .wrongUsage(let message), .no(let message), .nothing(let message), .notInstalled(let message): message
        case .unreachable(let socket, let why, let hint): "cannot reach glossd at \(socket): \(why)\n\(hint)"
        case .left(let socket): "glossd at \(socket) ended the connection: it stopped or was restarted"
        case .refused(let problem): SafeText.neutralised(problem.text, keepingLines: true)
        case .badReply(let message): "the daemon's answer cannot be understood: \(SafeText.neutralised(message))"
        case .otherShape:
            "another program answers there, or another version of glossd: compare glossctl --version and glossd --version"
        case .interrupted: ""
        }
    }
}

extension Problem {
    fileprivate var text: String { detail ?? title }
}
