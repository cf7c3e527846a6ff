import API
package import ArgumentParser
import FoundationEssentials
import Glibc
import Linux
import Model

package struct DoctorCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a whole installation, and say what to do.",
        discussion: """
            Checks the unit, the socket and this user's access to it, the journal, the store and its disk, the dictionaries and \
            whether the unit may read their folders, the sinks, the alerts and the clock. The exit status is 1 if something \
            is wrong. It changes nothing.

            \(Outcome.help)

            Examples:
              glossctl doctor
              sudo glossctl doctor
            """)

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let findings = await Doctor(
            socket: socket, isUsual: socket == ConnectionOptions.defaultSocket, now: console.now()
        ).findings()
        let style = text.style(console)
        for finding in findings {
            var line = StyledLine(finding.state.mark, finding.state.tint)
            line.append(" \(finding.what)")
            if !finding.found.isEmpty { line.append(": \(SafeText.neutralisedLine(finding.found))") }
            try console.print(TextBlock.wrapped(line.rendered(style.uncut), indent: 0, style))
            if let advice = finding.advice { try console.print(TextBlock.wrapped(advice, indent: 5, style)) }
        }
        let wrong = findings.count { $0.state == .wrong }
        if wrong > 0 { throw ControlError.no("\(Quantity.count(wrong, "problem")) found") }
    }
}

/// What was looked at, and what was found.
struct DoctorFinding: Equatable {
    enum State: Equatable {
        case good, note, wrong

        var mark: String {
            switch self {
            case .good: "✓"
            case .note: "·"
            case .wrong: "✗"
            }
        }

        var tint: Tint {
            switch self {
            case .good: .good
            case .note: .warning
            case .wrong: .bad
            }
        }
    }

    var state: State
    var what: String
    var found: String
    var advice: String?

    init(_ state: State, _ what: String, _ found: String = "", advice: String? = nil) {
        (self.state, self.what, self.found, self.advice) = (state, what, found, advice)
    }
}

/// Checks an installation from outside, as the user who runs it.
struct Doctor {
    let socket: String
    /// Whether it is that of the unit.
    let isUsual: Bool
    let now: UInt64

    func findings() async -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let unit = isUsual ? Unit() : nil
        if isUsual { findings.append(Self.finding(of: unit)) }
        let client = ControlClient(socket: socket)
        let status: StatusReply
        do {
            status = try await client.document(StatusReply.self, APIPath.status)
        } catch {
            return findings + [Self.unreachable(socket, error)]
        }
        findings.append(
            DoctorFinding(.good, "Socket", "\(socket) answers: glossd \(status.version), \(status.state.rawValue)"))
        if status.version != glossVersion {
            findings.append(
                DoctorFinding(
                    .wrong, "Versions", "glossctl is \(glossVersion), glossd is \(status.version)",
                    advice: "Restart the unit after an update: sudo systemctl restart glossd"))
        }
        findings += problems(status)
        findings.append(journal(status))
        findings.append(store(status))
        findings += dictionaries(status, unit)
        findings += sinks(status)
        findings.append(clock(status))
        return findings
    }

    // MARK: unit and socket

    /// What systemd says of the unit.
    struct Unit {
        private var properties: [ExactString: ExactString] = [:]

        private static let names = [
            "LoadState", "ActiveState", "UnitFileState", "NRestarts", "ProtectHome", "Result",
        ]

        /// - Returns: `nil` where systemd does not run, or does not answer.
        init?() {
            guard FileManager.default.fileExists(atPath: "/run/systemd/system"),
                let process = try? ChildProcess(
                    "/usr/bin/systemctl", ["show", "glossd.service", "-p", Self.names.joined(separator: ",")])
            else { return nil }
            process.finish()
            var bytes: [UInt8] = []
            while case let piece = process.read(atMost: 4096), !piece.isEmpty { bytes += piece }
            guard process.wait() == .status(0) else { return nil }
            self.init(String(decoding: bytes, as: UTF8.self))
        }

        init(_ text: String) {
            for line in text.split(separator: "\n") {
                guard let parts = line.parts(at: "=") else { continue }
                properties[ExactString(String(parts.before))] = ExactString(String(parts.after))
            }
        }

        subscript(name: String) -> String { properties[ExactString(name)]?.text ?? "" }
    }

    static func finding(of unit: Unit?) -> DoctorFinding {
        guard let unit else {
            return DoctorFinding(.note, "Unit", "systemd does not run here, so no unit is looked at")
        }
        if unit["LoadState"] != "loaded" {
            return DoctorFinding(
                .wrong, "Unit", "glossd.service is \(unit["LoadState"])", advice: "Install it: sudo make install")
        }
        if unit["ActiveState"] != "active" {
            return DoctorFinding(
                .wrong, "Unit", "glossd.service is \(unit["ActiveState"]) (\(unit["Result"]))",
                advice: "Start it: sudo systemctl enable --now glossd; see journalctl -u glossd")
        }
        if let restarts = Int(unit["NRestarts"]), restarts > 0 {
            return DoctorFinding(
                .note, "Unit", "active, restarted \(Quantity.count(restarts, "time"))",
                advice: "See journalctl -u glossd")
        }
        guard unit["UnitFileState"] == "enabled" else {
            return DoctorFinding(
                .note, "Unit", "active, but \(unit["UnitFileState"]): it does not start with the machine",
                advice: "sudo systemctl enable glossd")
        }
        return DoctorFinding(.good, "Unit", "glossd.service is active and enabled")
    }

    static func unreachable(_ socket: String, _ error: any Error) -> DoctorFinding {
        let reason = (error as? ControlError)?.description ?? "\(error)"
        var advice = "Start glossd, or name its socket with --socket or GLOSS_SOCKET."
        if FileManager.default.fileExists(atPath: socket), access(socket, W_OK) != 0 {
            let group =
                (try? FileManager.default.attributesOfItem(atPath: socket)[.groupOwnerAccountName] as? String) ?? nil
            let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
            advice =
                "This user may not use it: sudo usermod -aG \(group ?? "systemd-journal") \(user), then log in again."
        }
        return DoctorFinding(.wrong, "Socket", String(reason.split(separator: "\n").first ?? ""), advice: advice)
    }

    // MARK: what the daemon says

    func problems(_ status: StatusReply) -> [DoctorFinding] {
        status.problems.map { DoctorFinding(.wrong, $0.code, $0.what, advice: $0.hint) }
    }

    func journal(_ status: StatusReply) -> DoctorFinding {
        let journal = status.journal
        if journal.files == 0 {
            return DoctorFinding(
                .wrong, "Journal", "no journal file can be read",
                advice:
                    "The daemon's group has to be systemd-journal, and journald has to write files: see journal: in gloss.yaml."
            )
        }
        if (journal.entries?.stored ?? 0) == 0 {
            return DoctorFinding(
                .note, "Journal", "\(Quantity.count(journal.files, "file")), but no event was stored yet",
                advice: "No source has taken an entry: compare sources: in gloss.yaml with journalctl -o verbose.")
        }
        let lag = journal.lagSeconds ?? 0
        return lag > 60
            ? DoctorFinding(
                .note, "Journal", "\(Quantity.time(seconds: lag)) behind", advice: "See glossctl status --watch")
            : DoctorFinding(.good, "Journal", "\(Quantity.count(journal.files, "file")), read to the end")
    }

    func store(_ status: StatusReply) -> DoctorFinding {
        let folder = status.store.path.lastIndex(of: "/").map { String(status.store.path[..<$0]) } ?? "."
        let use = "\(Quantity.bytes(status.store.bytes)) of \(Quantity.bytes(status.store.maxBytes))"
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else { return DoctorFinding(.good, "Store", use) }
        let free = Int64(clamping: facts.f_bavail) * Int64(clamping: facts.f_frsize)
        let wanted = max(0, status.store.maxBytes - status.store.bytes)
        return free < wanted
            ? DoctorFinding(
                .note, "Store", "\(use), but the disk has only \(Quantity.bytes(free)) left",
                advice: "Free some space, or lower store.max_size.")
            : DoctorFinding(.good, "Store", "\(use), and the disk has \(Quantity.bytes(free)) left")
    }

    func dictionaries(_ status: StatusReply, _ unit: Unit?) -> [DoctorFinding] {
        guard !status.dictionaries.isEmpty else {
            return [
                DoctorFinding(
                    .note, "Dictionaries", "there is none: no event is checked",
                    advice: "See dictionaries: in gloss.yaml.")
            ]
        }
        let broken = Set(status.problems.filter { $0.code.hasPrefix("dictionary.") }.compactMap(\.subject))
        return status.dictionaries.filter { !broken.contains($0.name) }.map { dictionary in
            let name = "Dictionary \(dictionary.name)"
            if let unit, unit["ProtectHome"] != "no", !unit["ProtectHome"].isEmpty,
                ["/home/", "/root/", "/run/user/"].contains(where: dictionary.path.hasPrefix)
            {
                return DoctorFinding(
                    .wrong, name,
                    "\(dictionary.path) is in a home, which the unit may not read (ProtectHome=\(unit["ProtectHome"]))",
                    advice:
                        "Move it, such as to /etc/gloss/definitions, or run systemctl edit glossd and set ProtectHome=read-only."
                )
            }
            return DoctorFinding(
                .good, name, "\(dictionary.path), \(Quantity.count(dictionary.definitions, "definition"))")
        }
    }

    func sinks(_ status: StatusReply) -> [DoctorFinding] {
        guard !status.sinks.isEmpty else { return [DoctorFinding(.good, "Sinks", "none: nothing leaves the machine")] }
        return status.sinks.filter { $0.state != .held }.map { sink in
            let name = "Sink \(sink.name)"
            switch sink.state {
            case .ok:
                return DoctorFinding(
                    .good, name, "\(sink.url), \(Quantity.count(sink.deliveredEvents, "event")) delivered")
            case .disabled: return DoctorFinding(.note, name, "disabled: the store keeps its events")
            case .retrying, .paused, .held:
                return DoctorFinding(
                    .wrong, name, "\(sink.url) does not take events: \(sink.lastError ?? "no answer")",
                    advice: "Its events are kept. Check the upstream and the network.")
            }
        }
    }

    func clock(_ status: StatusReply) -> DoctorFinding {
        guard let newest = status.events?.newestTime?.microseconds, newest > now + 60_000_000 else {
            return DoctorFinding(.good, "Clock", "no event is in the future")
        }
        return DoctorFinding(
            .wrong, "Clock", "the newest event is \(Quantity.time(seconds: Double(newest - now) / 1e6)) in the future",
            advice: "Check the clock: timedatectl. Queries by time, retention and alerts go by it.")
    }
}
