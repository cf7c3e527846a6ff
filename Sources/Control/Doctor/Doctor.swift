import API
import FoundationEssentials
import Glibc
import Linux
import Model
import Predicates

/// Checks an installation from outside, as the user who runs it.
struct Doctor {
    let socket: String
    /// Whether it is that of the unit.
    let isUsual: Bool
    let now: UInt64
    /// The program that checks settings; `nil` if it is not installed.
    var glossd: String?
    var settingsFile = "/etc/gloss/gloss.yaml"
    /// Whether this user may read all that settings refer to.
    var isRoot = geteuid() == 0
    /// Connects to the host of an address; returns why it cannot be reached.
    var reach: @Sendable (_ url: String) -> String? = { DoctorConnection.failure(to: $0) }

    func findings() async -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let unit = isUsual ? DoctorUnit() : nil
        if isUsual {
            findings.append(Self.finding(of: unit))
            settings().map { findings.append($0) }
        }
        let client = ControlClient(socket: socket)
        let status: StatusReply
        do {
            status = try await client.status(timeout: ControlClient.statusTimeout)
        } catch {
            return findings + [Self.unreachable(socket, error)]
        }
        findings.append(
            DoctorFinding(.good, "Socket", "\(socket) answers: glossd \(status.version), \(status.state.rawValue)"))
        if status.version != glossVersion {
            findings.append(
                DoctorFinding(
                    .wrong, "Versions", "glossctl is \(glossVersion), glossd is \(status.version)",
                    advice: Self.restartAdvice))
        }
        findings.append(await rights(client))
        findings += problems(status, unit)
        findings.append(journal(status))
        uncovered(status).map { findings.append($0) }
        gaps(status).map { findings.append($0) }
        findings.append(store(status))
        findings += dictionaries(status)
        findings += sinks(status)
        findings.append(clock(status))
        return findings
    }

    // MARK: unit and socket

    static func finding(of unit: DoctorUnit?) -> DoctorFinding {
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

    /// - Returns: `nil` where there is nothing to check, or this user may not read it.
    func settings() -> DoctorFinding? {
        guard access(settingsFile, R_OK) == 0 else { return nil }
        guard let glossd else {
            return DoctorFinding(
                .note, "Settings", "\(settingsFile) is not checked: glossd is neither beside glossctl nor in PATH",
                advice: "Run glossd --check --config \(settingsFile) where it is.")
        }
        if DoctorProgram.output(glossd, ["--check", "--config", settingsFile]) != nil {
            return DoctorFinding(.good, "Settings", settingsFile)
        }
        let advice = "sudo \(glossd) --check --config \(settingsFile) says which."
        return isRoot
            ? DoctorFinding(.wrong, "Settings", "\(settingsFile) has problems", advice: advice)
            : DoctorFinding(
                .note, "Settings", "\(settingsFile) has problems, perhaps only files that this user may not read",
                advice: advice)
    }

    /// Asks the daemon whether this user may see the fields of journal entries. The question reads no event.
    func rights(_ client: ControlClient) async -> DoctorFinding {
        var query = EventQuery()
        query.limit = 0
        query.filter[.predicate] = ["journal._PID == \"1\""]
        do {
            _ = try await client.hasEvents(APIPath.events(query))
            return DoctorFinding(.good, "Access", "this user may ask for all, also for fields of journal entries")
        } catch ControlError.refused(let problem) where problem.status == 403 {
            return DoctorFinding(
                .note, "Access",
                "this user sees events, but no fields of journal entries, and no hashed value by its text",
                advice: "For that, join the group systemd-journal.")
        } catch {
            let reason = (error as? ControlError)?.description ?? "\(error)"
            return DoctorFinding(.note, "Access", "it is not known what this user may ask for: \(reason)")
        }
    }

    private static let restartAdvice = "Restart the unit after an update: sudo systemctl restart glossd"

    static func unreachable(_ socket: String, _ error: any Error) -> DoctorFinding {
        let reason = (error as? ControlError)?.description ?? "\(error)"
        switch error as? ControlError {
        case .refused?:
            return DoctorFinding(
                .wrong, "Status", "glossd answers at \(socket), but without its status: \(reason)",
                advice: "See what glossd logs; a damaged store is in docs/operations.md, Rebuilding the store.")
        case .otherShape?: return DoctorFinding(.wrong, "Versions", reason, advice: restartAdvice)
        default: break
        }
        // What to do is on a line of its own.
        let lines = reason.split(separator: "\n", maxSplits: 1).map(String.init)
        var advice = lines.count > 1 ? lines[1] : "See systemctl status glossd."
        if !FileManager.default.fileExists(atPath: socket), let holder = holder(of: socket) {
            advice = "Its file is gone, but glossd runs (process \(holder)): restart it."
        }
        return DoctorFinding(.wrong, "Socket", lines.first ?? "", advice: advice)
    }

    /// Returns the process that has the lock of a socket, if it runs.
    private static func holder(of socket: String) -> Int32? {
        guard let lock = try? ByteSource.all(of: "\(socket).lock", atMost: 4096),
            let process = Int32(String(decoding: lock, as: UTF8.self).filter(\.isNumber)),
            FileManager.default.fileExists(atPath: "/proc/\(process)")
        else { return nil }
        return process
    }

    // MARK: what the daemon says

    func problems(_ status: StatusReply, _ unit: DoctorUnit?) -> [DoctorFinding] {
        status.problems.map { problem in
            // A sink may have the same name.
            let hidden = status.dictionaries.first { dictionary in
                problem.code.hasPrefix("dictionary.") && problem.subject == dictionary.name
                    && dictionary.problems.contains { $0.rule == "unreadable-file" && $0.file == dictionary.path }
            }
            let settings = hidden.flatMap { unit?.settings(toSee: $0.path) }
            let advice = settings.map {
                """
                The unit does not see that folder. Move it, such as to /etc/gloss/definitions; or run systemctl edit glossd, set \($0) \
                under [Service], and restart glossd.
                """
            }
            return DoctorFinding(.wrong, problem.code, problem.what, advice: advice ?? problem.hint)
        }
    }

    func journal(_ status: StatusReply) -> DoctorFinding {
        let journal = status.journal
        // What is wrong is counted once.
        func wrong(unless code: String) -> DoctorFinding.State {
            status.problems.contains { $0.code.hasPrefix(code) } ? .note : .wrong
        }
        if journal.files == 0 {
            return DoctorFinding(
                wrong(unless: "journal.unreadable"), "Journal", "no journal file can be read",
                advice:
                    "The daemon's group has to be systemd-journal, and journald has to write files: see journal: in gloss.yaml."
            )
        }
        let files = Quantity.count(journal.files, "file")
        let state = wrong(unless: "store.")
        if status.state == .paused {
            return DoctorFinding(
                state, "Journal", "\(files), and reading is paused",
                advice: "What is not read stays in the journal until that rotates: solve the problem of the store.")
        }
        guard let entries = journal.entries else {
            return DoctorFinding(
                state, "Journal", "\(files); the store does not know what became of their entries",
                advice: "It is damaged: see Rebuilding the store in docs/operations.md.")
        }
        if entries.stored == 0 {
            return DoctorFinding(
                .note, "Journal", "\(files), but no event was stored yet",
                advice: "No source has taken an entry: compare sources: in gloss.yaml with journalctl -o verbose.")
        }
        // It is known for each second whether all was read.
        let behind = max(
            journal.lagSeconds ?? 0,
            Double(now - min(now, journal.completeUntil?.microseconds ?? 0)) / 1_000_000)
        return behind > 60
            ? DoctorFinding(
                .note, "Journal",
                journal.completeUntil == nil
                    ? "\(files), not read to the end yet" : "\(Quantity.time(seconds: behind)) behind",
                advice: "See glossctl status --watch")
            : DoctorFinding(.good, "Journal", "\(files), read to the end")
    }

    /// The journals that are not read; `nil` if there are none.
    func uncovered(_ status: StatusReply) -> DoctorFinding? {
        guard let folders = status.journal.uncovered, let first = folders.first else { return nil }
        let others = folders.count > 1 ? " and \(Quantity.count(folders.count - 1, "other folder"))" : ""
        return DoctorFinding(
            .note, "Journal", "\(first)\(others) with journal files: not read by these settings",
            advice: "One daemon reads one journal: see journal: in gloss.yaml. glossctl status -o json names them all.")
    }

    /// What is missing; `nil` if nothing is.
    func gaps(_ status: StatusReply) -> DoctorFinding? {
        guard let gaps = status.gaps, gaps.count > 0 else { return nil }
        return DoctorFinding(
            .note, "Gaps", "entries are missing in \(Quantity.count(Int(gaps.count), "place"))",
            advice: "See glossctl gaps, which says why and what can be done.")
    }

    func store(_ status: StatusReply) -> DoctorFinding {
        let folder = status.store.path.lastIndex(of: "/").map { String(status.store.path[..<$0]) } ?? "."
        let use = "\(Quantity.bytes(status.store.bytes)) of \(Quantity.bytes(status.store.maxBytes))"
        guard let free = freeBytes(at: folder).map({ Int64(clamping: $0) }) else {
            return DoctorFinding(.good, "Store", use)
        }
        let wanted = max(0, status.store.maxBytes - status.store.bytes)
        return free < wanted
            ? DoctorFinding(
                .note, "Store", "\(use), but the disk has only \(Quantity.bytes(free)) left",
                advice: "Free some space, or lower store.max_size.")
            : DoctorFinding(.good, "Store", "\(use), and the disk has \(Quantity.bytes(free)) left")
    }

    /// Returns the dictionaries, or sinks, that a problem is about.
    /// - Parameter prefix: the beginning of its code. A sink may have the name of a dictionary.
    private func troubled(_ status: StatusReply, _ prefix: String) -> Set<ExactString> {
        Set(exact: status.problems.filter { $0.code.hasPrefix(prefix) }.compactMap(\.subject))
    }

    /// Those that no problem is about.
    func dictionaries(_ status: StatusReply) -> [DoctorFinding] {
        guard !status.dictionaries.isEmpty else {
            return [
                DoctorFinding(
                    .note, "Dictionaries", "there is none: no event is checked",
                    advice: "See dictionaries: in gloss.yaml.")
            ]
        }
        let broken = troubled(status, "dictionary.")
        return status.dictionaries.filter { !broken.contains($0.name) }.map { dictionary in
            DoctorFinding(
                .good, "Dictionary \(dictionary.name)",
                "\(dictionary.path), \(Quantity.count(dictionary.definitions, "definition"))")
        }
    }

    /// Those that no problem is about.
    func sinks(_ status: StatusReply) -> [DoctorFinding] {
        guard !status.sinks.isEmpty else { return [DoctorFinding(.good, "Sinks", "none: nothing leaves the machine")] }
        let failing = troubled(status, "sink.")
        return status.sinks.filter { !failing.contains($0.name) }.map { sink in
            let name = "Sink \(sink.name)"
            switch sink.state {
            case .ok:
                let delivered = "\(sink.url), \(Quantity.count(sink.deliveredEvents, "event")) delivered"
                guard let failure = reach(sink.url) else { return DoctorFinding(.good, name, delivered) }
                return DoctorFinding(
                    .wrong, name, "\(sink.url) cannot be reached from here: \(failure)",
                    advice: "Nothing is lost: events wait. Check the address, the network and the firewall.")
            case .disabled: return DoctorFinding(.note, name, "disabled: the store keeps its events")
            case .paused: return DoctorFinding(.note, name, "waits for the store; its events are kept")
            case .retrying, .held:
                return DoctorFinding(
                    .wrong, name, "\(sink.url) does not take events: \(sink.lastError ?? "no answer")",
                    advice: "Its events are kept. Check the upstream and the network.")
            }
        }
    }

    func clock(_ status: StatusReply) -> DoctorFinding {
        guard let newest = status.events?.newestTime?.microseconds, newest > now + 60_000_000 else {
            let arguments = ["show", "-p", "NTPSynchronized", "--value"]
            let isLoose = isUsual && DoctorProgram.output("/usr/bin/timedatectl", arguments)?.hasPrefix("no") ?? false
            return isLoose
                ? DoctorFinding(
                    .note, "Clock", "it is not synchronised", advice: "sudo timedatectl set-ntp true")
                : DoctorFinding(.good, "Clock", "no event is in the future")
        }
        return DoctorFinding(
            .wrong, "Clock", "the newest event is \(Quantity.time(seconds: Double(newest - now) / 1e6)) in the future",
            advice: "Check the clock: timedatectl. Queries by time, retention and alerts go by it.")
    }
}
