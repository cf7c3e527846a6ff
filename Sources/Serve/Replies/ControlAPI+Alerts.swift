import API
import FoundationEssentials
import Hummingbird
import Model
import NIOCore
import Predicates
import Store
import Watches

extension ControlAPI {
    /// `GET /v1/alerts`
    func alerts(_ request: Request, _ context: ControlContext) async throws -> Response {
        var list = await daemon.alerts.list()
        try await hide(in: &list.alerts, from: context)
        return try Response(json: list)
    }

    /// `GET /v1/alerts/history`
    func alertHistory(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try NoticeQuery(urlQuery: request.uri.query)
        return try await documents.response(context) {
            let found = try await store.notices(of: query.alert, before: query.before, limit: query.limit + 1)
            let page = found.prefix(query.limit)
            var replies: [NoticeReply] = []
            for stored in page {
                // One that cannot be read is not sent either, and its notifier has reported it.
                guard let notice = try? APICoding.decode(AlertNotice.self, from: Data(stored.notice.utf8)) else {
                    continue
                }
                replies.append(NoticeReply(await daemon.alerts.protected(notice), stored))
            }
            let next = found.count > page.count ? page.last?.id : nil
            return try APICoding.encode(NoticeList(notices: replies, next: next))
        }
    }

    /// `POST /v1/alerts/{alert}/test`
    func testAlert(_ request: Request, _ context: ControlContext) async throws -> Response {
        let reply = try await daemon.alerts.test(try context.pathParameter("alert"))
        return try Response(json: try await shown(reply, to: context))
    }

    /// `POST /v1/alerts/{alert}/silence`
    func silenceAlert(_ request: Request, _ context: ControlContext) async throws -> Response {
        let until = try SilenceQuery(urlQuery: request.uri.query).until
        let reply = try await daemon.alerts.silence(try context.pathParameter("alert"), until: until)
        return try Response(json: try await shown(reply, to: context))
    }

    /// `POST /v1/alerts/{alert}/trial`
    func tryAlert(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try TrialQuery(urlQuery: request.uri.query)
        let since = query.since ?? now() - min(now(), 86_400_000_000)
        let body = try await request.body.collect(upTo: options.maximumBodyBytes)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw Problem(status: 422, title: "No rules", detail: "The body has to be UTF-8.")
        }
        let rule = try await daemon.alerts.rule(
            try context.pathParameter("alert"), in: text.isEmpty && query.file == nil ? nil : text,
            file: query.file ?? "alerts.yaml",
            predicates: await daemon.predicates())
        // What it reports shows which events have the values that it asks for.
        _ = try await predicate(of: rule.predicate, from: context)
        return try await documents.response(context, .trial) {
            let notices = try await daemon.alerts.tried(rule, since: since)
            return try APICoding.encode(NoticeList(notices: notices.map { NoticeReply($0) }))
        }
    }

    private func shown(_ reply: AlertReply, to context: ControlContext) async throws -> AlertReply {
        var replies = [reply]
        try await hide(in: &replies, from: context)
        return replies[0]
    }

    /// Removes the predicates that the client may not see.
    private func hide(in replies: inout [AlertReply], from context: ControlContext) async throws {
        let isShown = try await shownPredicates(await daemon.dictionaries().map(\.dictionary), to: context)
        for place in replies.indices {
            replies[place].predicate = replies[place].predicate.flatMap { isShown($0) ? $0 : nil }
        }
    }
}

extension NoticeReply {
    fileprivate init(_ notice: AlertNotice, _ stored: StoredNotice) {
        self.init(
            notice, id: stored.id, isSilenced: stored.isSilenced,
            deliveries: stored.deliveries.map { delivery in
                Delivery(
                    notifier: delivery.notifier, deliveredAt: delivery.delivered.map { WireTime(microseconds: $0) })
            })
    }
}
