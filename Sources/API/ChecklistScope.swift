/// `GET /v1/checklists/{run}/scope`: what a run looked at, and why its result may not be the whole truth.
package struct ChecklistScope: Sendable, Hashable, Codable, DescribedObject {
    package var scope: ReportScope
    package var beginsInFuture: Bool
    package var idleSources: [String]
    package var programs: [Program]
    package var morePrograms: Int

    package init(
        scope: ReportScope, beginsInFuture: Bool, idleSources: [String], programs: [Program], morePrograms: Int
    ) {
        (self.scope, self.beginsInFuture, self.idleSources) = (scope, beginsInFuture, idleSources)
        (self.programs, self.morePrograms) = (programs, morePrograms)
    }

    package static let object = ObjectDescription(
        "ChecklistScope", "What a run of a checklist looked at",
        [
            member("scope", \.scope, "The events that the run is about, in items or not, and what is missing"),
            member("begins_in_future", \.beginsInFuture, "Whether its predicate selects only times to come", false),
            member(
                "idle_sources", \.idleSources, "Sources of the settings of which no event is stored",
                ["subsystem: com.example.*"]),
            member("programs", \.programs, "Who sent the events, those with most events first"),
            member("more_programs", \.morePrograms, "How many more programs and versions there are", 0),
        ])

    /// A program, in one version.
    package struct Program: Sendable, Hashable, Codable, DescribedObject {
        package var identifier: String?
        package var version: String?
        package var events: Int64

        package init(identifier: String?, version: String?, events: Int64) {
            (self.identifier, self.version, self.events) = (identifier, version, events)
        }

        package static let object = ObjectDescription(
            "ChecklistProgram", "A program that sent events, in one version",
            [
                member("identifier", \.identifier, "The syslog identifier of the sender", "shop"),
                member("version", \.version, "The parameter app_version; left out if its events have none", "25.4"),
                member("events", \.events, "How many events it sent", 120),
            ])
    }
}
