import API
import HTTPTypes
import Hummingbird
import Model
import Synchronization

/// How long requests took, from when their head was read until their answer was written, by route and class of status.
final class RequestTimes: Sendable {
    struct Key: Hashable, Sendable {
        /// A path of an endpoint with `{name}` for each parameter, or `other`: a path as it was sent may be any text.
        @Exact var route: String
        /// Such as `2xx`.
        @Exact var status: String
    }

    /// The route of what no endpoint answers: paths that do not exist, and methods that are not allowed.
    static let otherRoute = "other"

    /// One for each route and class that there was a request of: as many as there are routes, times five.
    private let histograms = Mutex<[Key: Histogram]>([:])

    /// Records a request that is over. A tail is not recorded: it takes as long as its client wants.
    /// - Parameter route: that of the router; `nil` if it was not asked.
    func record(_ request: Request, _ route: String?, _ response: Response, since begin: ContinuousClock.Instant) {
        guard !isTail(request, route, response) else { return }
        let isKnown = route?.hasPrefix("/") ?? false
        let key = Key(
            route: isKnown ? route ?? "" : Self.otherRoute, status: "\(response.status.code / 100)xx")
        let histogram = histograms.withLock { histograms in
            if let histogram = histograms[key] { return histogram }
            let histogram = Histogram()
            histograms[key] = histogram
            return histogram
        }
        histogram.record(ContinuousClock.now - begin)
    }

    private func isTail(_ request: Request, _ route: String?, _ response: Response) -> Bool {
        guard response.status == .ok else { return false }
        return route?.hasSuffix("/changes") ?? false
            || route == APIPath.events && request.uri.queryParameters["follow"] == "true"
    }

    var counts: [Key: Histogram.Counts] { histograms.withLock { $0 }.mapValues(\.counts) }
}
