import API
import Hummingbird
import Linux
import Model
import NIOCore
import Store
import Watches

extension ControlAPI {
    /// `GET /metrics`. It reads nothing but counters and single rows. What the store cannot say, for whatever reason, is left out.
    func metrics(_ request: Request, _ context: ControlContext) async throws -> Response {
        let current = try await currentStatus(for: context) { $0.kind != .cancelled }
        let measured = Measurements(
            status: current.reply, sinks: current.daemon.sinks, sinkRecords: current.records,
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
