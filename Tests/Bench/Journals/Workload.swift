import Foundation

/// What the events of a generated journal are like, and what there is to be found in them. They are numbered from 0.
protocol Workload: Sendable {
    /// Names the journal's folder, where it is kept: a workload that changes takes another name.
    var name: String { get }
    /// Before what the table says of it.
    var mark: String { get }
    /// Unless somebody wants it in others.
    var files: JournalFiles { get }
    var goals: WorkloadGoals { get }
    /// That the reports are made with.
    var reportFilters: [WorkloadFilter] { get }

    /// What is asked about so many events.
    func questions(events: Int) -> [Question]

    func host(of number: Int) -> JournalHost
    /// The fields of an event, a line each, in the journal export format.
    func fields(of event: Int) -> String
    /// The definitions that its events are validated against.
    func writeDefinitions(to folder: URL) throws
}

/// The files that a journal is in.
struct JournalFiles: Sendable, Equatable {
    var count: Int
    /// Whether each goes over the whole time, as those of many hosts do, instead of going on where the one before ends.
    var areSideBySide = false

    /// Those of a file, of so many entries.
    func numbers(of file: Int, in entries: Int) -> StrideTo<Int> {
        areSideBySide
            ? stride(from: file, to: entries, by: count)
            : stride(from: entries * file / count, to: entries * (file + 1) / count, by: 1)
    }

    /// What follows has been written since the others were archived.
    func name(of file: Int) -> String {
        "bench\(!areSideBySide && file < count - 1 ? "@" : "-")\(file).journal"
    }
}

/// Which entry of a generated journal is which event.
enum EntryNumbers {
    /// Between two entries, in microseconds.
    static let step = 1500
    static let start = 1_790_000_000_000_000

    /// Every second entry is an event.
    static func event(_ number: Int) -> Int? { number % 2 == 0 ? number / 2 : nil }
    static func events(in entries: Int) -> Int { (entries + 1) / 2 }
    /// Microseconds since 1970.
    static func time(of number: Int) -> Int { start + number * step }
    static func time(ofEvent event: Int) -> Int { time(of: event * 2) }
}

/// A filter of reports, and which events it takes.
struct WorkloadFilter: Sendable {
    var what: String
    /// As parameters of a report, of so many events.
    var query: @Sendable (Int) -> String
    /// - Parameters: an event, and how many there are.
    var takes: @Sendable (_ event: Int, _ events: Int) -> Bool
    /// Whether it asks for names that only events with a key have.
    var isOfKeys = false
}
