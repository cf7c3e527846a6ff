internal import Glibc
internal import Linux
internal import Model

/// The program of a notifier: it gets the text on its standard input, and what the notice is in its environment.
struct NoticeCommand {
    private let command: [String]
    private let timeout: Duration

    init(_ command: [String], timeout: Duration) { (self.command, self.timeout) = (command, timeout) }

    func run(with text: String, _ notice: AlertNotice) async -> AttemptResult {
        let environment = [
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "GLOSS_ALERT=\(notice.alert)",
            "GLOSS_STATE=\(notice.state.rawValue)", "GLOSS_CAUSE=\(notice.causeText)", "GLOSS_TEXT=\(notice.text)",
        ].map { $0.filter { $0 != "\0" } }
        let process: ChildProcess
        do throws(ChildProcess.Failure) {
            process = try ChildProcess(
                command[0], Array(command.dropFirst()), environment: environment, hasGroup: true, hasOutput: false)
        } catch {
            // A missing program needs a person.
            return .notSent(reason: error.description)
        }
        let watch = Task { [timeout] () -> Bool in
            guard (try? await Task.sleep(for: timeout)) != nil else { return false }
            process.kill()
            return true
        }
        let (isTaken, end) = await withTaskCancellationHandler {
            await WorkQueue("gloss.notifier").run { () -> (isTaken: Bool, end: ChildProcess.End?) in
                let isTaken = process.write(Array(text.utf8))
                process.finish()
                return (isTaken, process.wait())
            }
        } onCancel: {
            process.kill()
        }
        watch.cancel()
        let isLate = await watch.value
        let lateness = AttemptResult.unanswered(reason: "\(command[0]) took longer than \(timeout), and was ended")
        switch end {
        // It may have ended while what it has started had not read the text.
        case _ where isLate && !isTaken: return lateness
        case .signal(SIGKILL) where isLate: return lateness
        case nil: return .unanswered(reason: "\(command[0]) ended in a way that is not known")
        case .status(0): return .answered(status: 200, retryAfter: nil, excerpt: "")
        case .status(let status): return .unanswered(reason: "\(command[0]) ended with status \(status)")
        case .signal(let signal): return .unanswered(reason: "\(command[0]) was ended by signal \(signal)")
        }
    }
}
