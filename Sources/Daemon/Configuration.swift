import Dictionaries
import Emit
import Forward
import Foundation
import Glibc
import Journal
import Linux
import Model
import Predicates
import Settings
import Watches

/// The settings and dictionaries as their files are now. All of them are read and checked before any takes effect.
struct Configuration: Sendable {
    var settings: Settings
    /// In the order of the settings.
    var dictionaries: [DictionaryReading]

    /// Reads all files. It blocks.
    /// - Throws: `SettingsError`. A dictionary with errors does not throw: they are in its `problems`.
    init(path: String) throws(SettingsError) {
        settings = try Self.settings(path: path)
        dictionaries = settings.dictionaries.compactMap { DictionaryReading($0) }
    }

    /// The errors of all dictionaries, one line each.
    var dictionaryErrors: [String] { dictionaries.flatMap(\.errors) }
    var dictionaryWarnings: [String] { dictionaries.flatMap(\.warnings) }

    /// What these dictionaries give no meaning, one line each: the predicates of sinks and alerts, which are held for that, and
    /// those that have names, and what notices of alerts show.
    var withoutMeaning: [String] {
        let dictionaries = dictionaries.compactMap(\.dictionary)
        let sinks = settings.sinks.compactMap { sink -> String? in
            guard sink.isEnabled, let text = sink.predicate else { return nil }
            do throws(PredicateFault) {
                _ = try StandingPredicates.predicate(text, dictionaries)
                return nil
            } catch {
                return "sink \(sink.name): \(SinkError(error))"
            }
        }
        let alerts = settings.alerts.compactMap { rule in
            AlertKeeper.fault(of: rule, dictionaries).map { "alert \(rule.name) is held: \($0)" }
        }
        let shown = settings.alerts.flatMap { rule in
            rule.show.compactMap { StandingPredicates.fault(ofShown: $0, dictionaries) }.map {
                "alert \(rule.name): \($0)"
            }
        }
        let names = PredicateBinder.Names(dictionaries, predicates: settings.predicates)
        let named = settings.predicates.keys.sorted().compactMap { name in
            PredicateBinder.fault(of: "@\(name.text)", names).map { "predicate \($0)" }
        }
        return sinks + alerts + shown + named
    }

    /// What the settings can hardly mean, and secrets that others may read or change, one line each.
    var doubts: [String] {
        let templates = settings.notifiers.compactMap { notifier -> String? in
            guard let template = notifier.template, !AlertTemplate.hasPlaces(template) else { return nil }
            return "template of the notifier \(notifier.name): without {{text}} or the like, all notices are the same"
        }
        let diagnostics = lostDiagnostics.map { "diagnostics.events: no diagnostic becomes an event, since \($0)" }
        return settings.doubts + templates + [diagnostics].compactMap(\.self) + exposed
    }

    /// Why glossd would not find its own diagnostics in the journal; `nil` if it would, or need not.
    private var lostDiagnostics: String? {
        guard settings.diagnosticEvents else { return nil }
        if case .directory(let path) = settings.journal.location,
            !["/var/log/journal", "/run/log/journal"].contains(where: { path == $0 || path.hasPrefix("\($0)/") })
        {
            return "they are written to the machine's journal, and journal.directory is \(path)"
        }
        return lostEntries
    }

    /// Why journald would not get what glossd writes to it; `nil` if it would.
    private var lostEntries: String? {
        let socket = JournalWriter.socketPath(namespace: settings.journal.location.namespace)
        return access(socket, F_OK) == 0 ? nil : "no journald listens at \(socket)"
    }

    /// What the settings name and this machine lacks, one line each. That is no error, because it may come later.
    var missing: [String] {
        var missing: [String] = []
        func look(for path: String?, _ what: String, _ mode: Int32 = R_OK) {
            guard let path, access(path, mode) != 0 else { return }
            missing.append("\(what) \(path): \(errnoText(errno))")
        }
        if case .directory(let path) = settings.journal.location {
            if access(path, F_OK) == 0, !Self.isFolder(path) {
                missing.append(
                    "journal.directory \(path): this is no folder; name the one that the journal files are in")
            } else {
                look(for: path, "journal.directory")
            }
        }
        if case .namespace(let name) = settings.journal.location, let absence = settings.journal.location.absence {
            missing.append("journal.namespace \(name): \(absence.path): \(absence.reason)")
        }
        for (path, what) in [(settings.store.path, "store.path"), (settings.control.socket, "control.socket")]
        where Self.isFolder(path) {
            missing.append("\(what) \(path): this is a folder; name a file in it")
        }
        func lookForFiles(_ options: SinkOptions, _ place: String) {
            look(for: options.caFile, "ca_file of the \(place),")
            guard let path = options.tokenFile else { return }
            do throws(TokenFile.Failure) {
                _ = try TokenFile.read(path)
            } catch {
                missing.append("\(place): \(error)")
            }
        }
        for sink in settings.sinks { lookForFiles(sink, "sink \(sink.name)") }
        for notifier in settings.notifiers {
            let place = "notifier \(notifier.name)"
            switch notifier.kind {
            case .webhook(let options, _):
                lookForFiles(options, place)
                missing += Self.problem(place) { () throws(SinkError) in try Notifier.checkAddress(notifier) }
            case .command(let command, _):
                if let program = command.first?.text, Self.isFolder(program) {
                    missing.append("command of the \(place), \(program): this is a folder; name a program")
                } else {
                    look(for: command.first?.text, "command of the \(place),", X_OK)
                }
            case .journal:
                // Only a namespace that units log to has one.
                if settings.journal.location.namespace != nil, let lostEntries {
                    missing.append("\(place): \(lostEntries)")
                }
            }
        }
        if let group = settings.control.adminGroup, getgrnam(group) == nil {
            missing.append("control.admin_group: there is no group \(group)")
        }
        return missing + doubts + withoutMeaning
    }

    /// The files with secrets that others than root and the daemon may read or change, one line each.
    private var exposed: [String] {
        var files = settings.sinks.map { ("token_file of the sink \($0.name)", $0.tokenFile) }
        for notifier in settings.notifiers {
            guard case .webhook(let options, let urlFile) = notifier.kind else { continue }
            files.append(("token_file of the notifier \(notifier.name)", options.tokenFile))
            files.append(("url_file of the notifier \(notifier.name)", urlFile))
        }
        // A check may be run by another user than the daemon's, whose folder this is.
        let users = [geteuid(), StateFolder(ofStore: settings.store.path).owner].compactMap(\.self)
        return files.compactMap { what, path in
            guard let path, let exposure = TokenFile.exposure(of: path, users: users) else { return nil }
            return "\(what), \(path): \(exposure); let root or the daemon's user own it, with mode 0600 or 0640"
        }
    }

    /// The sections in which `other` differs and which only a restart can change.
    func sectionsThatNeedRestart(comparedTo other: Settings) -> [String] {
        var sections: [String] = []
        if settings.journal != other.journal { sections.append("journal") }
        if settings.store != other.store { sections.append("store") }
        if settings.control != other.control { sections.append("control") }
        return sections
    }

    private static func settings(path: String) throws(SettingsError) -> Settings {
        try Settings(file: path, environment: ProcessInfo.processInfo.environment) { settings, isWhole in
            // What is wrong with a sink may have been found already.
            predicateFaults(settings) + (isWhole ? otherFaults(settings) : [])
        }
    }

    private static func otherFaults(_ settings: Settings) -> [SettingsFault] {
        // A database there would be in the way of the key.
        let key = SettingsFault(
            "store", "path",
            message: "store.path: glossd keeps a key in a file of this name; write another, such as events.sqlite")
        let sinks = settings.sinks.flatMap { sink in
            problem("sink \(sink.name)") { () throws(SinkError) in try Sink.check(sink) }.map {
                SettingsFault("sinks", sink.name, message: $0)
            }
        }
        let notifiers = settings.notifiers.flatMap { notifier in
            problem("notifier \(notifier.name)") { () throws(SinkError) in try Notifier.check(notifier) }.map {
                SettingsFault("notifiers", notifier.name, message: $0)
            }
        }
        return (HashKey.isFile(settings.store.path) ? [key] : []) + sinks + notifiers
    }

    /// The predicates that no dictionary could give a meaning.
    private static func predicateFaults(_ settings: Settings) -> [SettingsFault] {
        let sinks = settings.sinks.compactMap { sink in
            sink.predicate.flatMap { StandingPredicates.fault(of: $0) }.map {
                SettingsFault("sinks", sink.name, "predicate", message: "sink \(sink.name): predicate: \($0)")
            }
        }
        let alerts = settings.alerts.compactMap { rule -> SettingsFault? in
            let parts = [("predicate", [], []), ("by", rule.by, []), ("when", rule.keys, []), ("show", [], rule.show)]
            return parts.lazy.compactMap { place, keys, shown in
                StandingPredicates.fault(of: rule.predicate, by: keys, showing: shown).map {
                    SettingsFault("alerts", rule.name, place, message: "alert \(rule.name): \($0)")
                }
            }.first
        }
        let names = PredicateBinder.Names.anything(predicates: settings.predicates)
        let named = settings.predicates.keys.sorted().compactMap { name -> SettingsFault? in
            // One that refers to itself was found already.
            guard (try? NamedPredicates(settings.predicates).expanded("@\(name.text)")) != nil else { return nil }
            return PredicateBinder.fault(of: "@\(name.text)", names).map {
                SettingsFault("predicates", name.text, message: "predicate \($0)")
            }
        }
        return named + sinks + alerts
    }

    /// What a check has found, with its place; nothing if all is well.
    private static func problem(_ place: String, _ check: () throws(SinkError) -> Void) -> [String] {
        do throws(SinkError) {
            try check()
            return []
        } catch {
            return ["\(place): \(error.advice)"]
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

extension PrivacyMode {
    /// A warning for the log and for status; `nil` when nothing is revealed.
    var warning: String? {
        switch self {
        case .protect: nil
        case .reveal: "privacy is set to reveal: values that definitions call private are stored and sent as they are"
        }
    }
}

extension Settings {
    /// The subsystem of the daemon's own events.
    static let ownSubsystem = "org.gloss"

    /// The sources, preceded by a rule that skips the daemon's own log lines: an event that makes the daemon log must not
    /// cause another event. They are known by `_COMM`, which also another program may have: nothing else is the same for each
    /// glossd, and two that read one journal must not wake each other. Diagnostics are events if the settings say so.
    var rules: [SourceRule] {
        let own = SourceRule.Condition(field: "_COMM", value: Glob("glossd"))
        var diagnostics = SourceRule(
            conditions: [own, .init(field: "SUBSYSTEM", value: Glob(Self.ownSubsystem))], name: nil,
            payloadFields: ["GLOSS_PAYLOAD"], text: "glossd's diagnostics")
        diagnostics.isOwn = true
        var others = SourceRule(excluding: [own], text: "glossd itself")
        others.isOwn = true
        return (diagnosticEvents ? [diagnostics] : []) + [others] + sources
    }
}
