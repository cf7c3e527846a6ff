import API
import Model

/// The exit status of glossctl. Scripts rely on the numbers.
enum Outcome: Int32, Sendable {
    case done = 0
    /// Nothing was found, or the answer is "no" or "not yet".
    case no = 1
    case wrongUsage = 2
    /// The daemon cannot be reached, or has ended the connection.
    case unreachable = 3
    /// A program that glossctl runs is not installed. Shells and env(1) use the same number; lower ones are the status
    /// of the program.
    case notInstalled = 127
    /// The status that shells report for a process ended by SIGINT.
    case interrupted = 130

    /// The sentence in the help of each command.
    static let help =
        #"Exit status: 0 done; 1 nothing found, "no" or "not yet"; 2 wrong usage; 3 glossd cannot be reached."#
}

/// Why a command failed, or found nothing.
enum ControlError: Error, Sendable, CustomStringConvertible {
    case wrongUsage(String)
    /// The answer is "no" or "not yet".
    case no(String)
    /// Nothing matches. The text is a sentence of its own, since this is not a failure.
    case nothing(String)
    /// `isAbsent` says that the reason is just that no daemon is running.
    case unreachable(socket: String, why: String, hint: String, isAbsent: Bool = false)
    /// The daemon accepts no connection, or does not answer.
    case silent(socket: String, seconds: Int)
    /// The daemon ended a stream that should continue; `wasUnread` says that nobody had read the output for long.
    case left(socket: String, wasUnread: Bool = false)
    /// The daemon replied with a problem document.
    case refused(Problem)
    /// The reply of the daemon cannot be parsed.
    case badReply(String)
    /// The reply is not of the form that this version of glossctl knows.
    case otherShape
    /// A program that is to replace glossctl is not installed, or does not start.
    case notInstalled(String)
    case interrupted

    var status: Outcome {
        switch self {
        case .wrongUsage: .wrongUsage
        case .refused(let problem): problem.status == 400 || problem.parameter != nil ? .wrongUsage : .no
        case .unreachable, .silent, .left, .otherShape, .badReply: .unreachable
        case .no, .nothing: .no
        case .notInstalled: .notInstalled
        case .interrupted: .interrupted
        }
    }

    /// The message; empty if there is nothing to say.
    var description: String {
        switch self {
        case .wrongUsage(let message), .no(let message), .nothing(let message), .notInstalled(let message): message
        case .unreachable(let socket, let why, let hint, _): "cannot reach glossd at \(socket): \(why)\n\(hint)"
        case .silent(let socket, let seconds):
            """
            cannot reach glossd at \(socket): \(Self.silence(seconds))
            It hangs, was stopped, or has too much to do. See systemctl status glossd.
            """
        case .left(let socket, wasUnread: false):
            "glossd at \(socket) ended the connection: it stopped, was restarted, or has too many connections"
        case .left(let socket, wasUnread: true):
            """
            glossd at \(socket) ended the connection, since the output was not read for half a minute: the rest is missing
            Write the output to a file, and read that.
            """
        case .refused(let problem): SafeText.neutralised(problem.text, keepingLines: true)
        case .badReply(let message): "the daemon's answer cannot be understood: \(SafeText.neutralised(message))"
        case .otherShape:
            "another program or another version of glossd answered: compare glossctl --version and glossd --version"
        case .interrupted: ""
        }
    }
}

extension ControlError {
    /// What a silent daemon has not done.
    static func silence(_ seconds: Int) -> String { "it has not answered for \(Quantity.count(seconds, "second"))" }

    /// The first line of the message, which says what is wrong; the others say what to do.
    var firstLine: String { String(description.prefix { $0 != "\n" }) }
}

extension Task<Never, Never> {
    /// - Throws: `ControlError.interrupted` if the task is cancelled.
    static func pause(for duration: Duration) async throws(ControlError) {
        do { try await sleep(for: duration) } catch { throw .interrupted }
    }
}

extension Problem {
    fileprivate var text: String { detail ?? title }
}
