import ArgumentParser
import Glibc
import Hummingbird
import Linux
import Logging
import Model
import NIOCore
import ServiceLifecycle
import UnixSignals

/// A small upstream for trying delivery settings, which the tests also deliver to.
@main
struct GlossReceiver: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gloss-receiver",
        abstract: "Receives batches of events by HTTP, shows them, and answers as specified.",
        discussion: """
            Prints a line for each batch: time, answer, events, bytes, key; then "resent" when a batch came before, \
            byte for byte, or "DIFFERENT BODY" when its key came before with other bytes. A resent batch is written \
            once.

            ANSWERS are separated by commas and given one after the other; the last one is repeated. Each is a status \
            from 200 to 599, or
              drop          take the batch, then close the connection without a reply
              slow=SECONDS  take the batch, answer 200 so much later
              hang          neither take the batch nor answer
            then xCOUNT to give it COUNT times, and :HEADER=VALUE to add a header.

            Exit status: 0 done; 1 it failed; 2 wrong usage.

            Examples:
              gloss-receiver --port 9090 --output events.ndjson
              gloss-receiver --port 9090 --answer 503x3,429:retry-after=2,200
              gloss-receiver --port 9090 --answer drop,200
              gloss-receiver --port 9090 --token-file token.txt
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 takes any that is free.")
    var port = 9090

    @Option(help: ArgumentHelp("Append what was taken, as NDJSON, synced before the answer.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Append a line of JSON for each attempt.", valueName: "file"))
    var attempts: String?

    @Option(help: ArgumentHelp("What to answer.", valueName: "answers"))
    var answer = "200"

    @Option(help: ArgumentHelp("Ask for the bearer token in this file; 401 without it.", valueName: "file"))
    var tokenFile: String?

    @Flag(help: "Print nothing for batches.")
    var quiet = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535, not \(port)") }
        do { _ = try AnswerScript(answer) } catch { throw ValidationError("--answer: \(error)") }
    }

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard !exitCode(for: error).isSuccess else { exit(withError: error) }
            // It may contain words of the command line.
            let message = SafeText.neutralised(fullMessage(for: error), keepingLines: true) + "\n"
            writeAll(Array(message.utf8), to: STDERR_FILENO)
            // As in all programs of Gloss; ArgumentParser's own status for wrong usage is 64.
            Glibc.exit(exitCode(for: error) == .validationFailure ? 2 : 1)
        }
    }

    func run() async throws {
        if let tokenFile { _ = try TokenFile.read(tokenFile) }
        let ledger = Ledger(
            script: try AnswerScript(answer), output: try output.map { try AppendedFile(path: $0) },
            attempts: try attempts.map { try AppendedFile(path: $0) }, isQuiet: quiet)
        // Only for problems that the libraries log, on standard error.
        var logger = Logger(label: "gloss-receiver") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .critical
        let application = Application(
            responder: ReceivingResponder(ledger: ledger, tokenFile: tokenFile),
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { [host] channel in
                writeLine("listening on http://\(host):\(channel.localAddress?.port ?? 0)")
            }, logger: logger)
        // Cancelled rather than stopped gracefully, because a request that hangs on purpose would delay that. Nothing
        // is lost: every answered batch is in the file, and a write in progress is completed.
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: application)], cancellationSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch is CancellationError {
        } catch let error as IOError {
            throw Unreachable(host: host, port: port, errno: error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw Unreachable(host: host, port: port, errno: EADDRNOTAVAIL)
        }
    }
}

/// The error that the receiver cannot listen on its address.
private struct Unreachable: Error, CustomStringConvertible {
    var host: String
    var port: Int
    var errno: Int32

    var description: String {
        switch errno {
        case EADDRINUSE:
            "another program listens on \(host):\(port): stop it, or choose another --port (0: any that is free)"
        case EADDRNOTAVAIL:
            "it cannot listen on \(host): that is not an address or name of this machine; choose another --host, such as 127.0.0.1"
        case EACCES: "this user may not listen on port \(port): choose a --port above 1023"
        default: "it cannot listen on \(host):\(port): \(errnoText(errno))"
        }
    }
}
