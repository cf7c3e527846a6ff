package import Model

/// What was found out about a stored event with definitions of today.
package struct ReprocessedEvent: Sendable {
    package var id: Int64
    package var resolution: Resolution
    package var kind: EventKind
    package var findings: Findings?
    /// `nil` leaves it as it is.
    package var payload: [UInt8]?

    package init(
        id: Int64, resolution: Resolution, kind: EventKind, findings: Findings? = nil, payload: [UInt8]? = nil
    ) {
        self.id = id
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
        self.payload = payload
    }
}
