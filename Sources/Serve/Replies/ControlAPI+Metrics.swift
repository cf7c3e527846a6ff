import API
import Hummingbird
import Linux
import Model
import NIOCore
import Store
import Watches

extension ControlAPI {
    /// `GET /metrics`. It reads nothing but counters and single rows, and counts the gap records. What the store
    /// cannot say, for whatever reason, is left out.
    func metrics(_ request: Request, _ context: ControlContext) async throws -> Response {
        let isTolerated = { (error: StoreError) in error.kind != .cancelled }
        // Read first, since damage found here becomes one of the problems.
        let everSeen = try await unless(isTolerated) { () async throws(StoreError) in try await store.gapsEverSeen() }
        let current = try await currentStatus(for: context, unless: isTolerated)
        let measured = Measurements(
            status: current.reply, gapsEverSeen: everSeen, sinks: current.daemon.sinks, sinkRecords: current.records,
            counts: await daemon.counts(), alerts: await daemon.alerts.list().alerts,
            runs: await daemon.checklists.runsByState, isDamaged: store.damage != nil, commits: store.commits.counts,
            requests: times.counts, process: .now())
        var text = MetricsText()
        for metric in Metric.all { text.append(metric, metric.read(measured)) }
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType],
            body: .init(byteBuffer: ByteBuffer(string: text.text)))
    }
}
