import Foundation

/// What no definition names: each event has a name of its own, of 200,000 programs over 100,000 boots.
struct ManyNamesWorkload: Workload {
    let name = "names"
    let mark = ""
    let files = JournalFiles(count: 4)
    /// Only what is measured of it has a goal.
    let goals = WorkloadGoals(
        catchUp: "100 k", enumerate: "", memory: "24 MB", bytesPerEvent: "", report: "100 ms", everything: "",
        everythingMemory: "")
    let reportFilters: [WorkloadFilter] = []

    static let events = 1_000_000
    private static let programs = 200_000
    private static let eventsOfBoot = 10

    func questions(events: Int) -> [Question] { [] }

    func host(of number: Int) -> JournalHost { JournalHost(number: 0, boot: number / 2 / Self.eventsOfBoot) }

    func fields(of event: Int) -> String {
        let program = event % Self.programs
        return """
            PRIORITY=5
            SUBSYSTEM=com.example.program\(program)
            CATEGORY=ActivityLog
            SYSLOG_IDENTIFIER=program\(program)
            _PID=\(3000 + program)
            MESSAGE={"event_category":"screen_\(event % 1000)","event_name":"tap_\(event)","user_id":1234567890}
            """
    }

    func writeDefinitions(to folder: URL) throws { try UniformWorkload().writeDefinitions(to: folder) }
}
