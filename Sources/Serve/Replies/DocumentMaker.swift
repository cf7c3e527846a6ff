import Dispatch
import Hummingbird
import NIOCore
import Queries

/// Makes replies that are one document, whose size is known only when it is complete. Few are made at a time, and one
/// that is larger than a usual page needs a share of the memory.
struct DocumentMaker: Sendable {
    enum Work {
        /// A document made from counters, which is fast.
        case brief
        /// A document for which events are read, perhaps all of them.
        case search
        /// A document for which events are gone through one by one, without a pause.
        case trial
        /// Groups of events, for which events are read, perhaps all of them.
        case groups
    }

    private let memory: Budget
    /// Larger documents need a share.
    private let ordinaryBytes: Int
    /// How many documents of each kind may be made at a time, so that slow ones do not delay the others.
    private let briefPlaces = Budget(4)
    private let searchPlaces = Budget(16)
    private let trialPlaces = Budget(4)
    /// One, since groups take some megabytes while they are counted. They take none of `memory`, since all that wait for that wait
    /// behind each other, and groups may take long.
    let groupPlaces = Budget(1)
    let thread = DocumentThread("gloss.documents")
    private let trialThread = DocumentThread("gloss.trials")

    init(_ memory: Budget, _ limits: ControlLimits) {
        self.memory = memory
        ordinaryBytes = limits.pages.payloadBytes
    }

    /// - Parameter make: makes the document. It is called again if there was no memory for the document, which is not
    ///   kept while this waits.
    func response(
        _ context: ControlContext, _ work: Work = .brief,
        _ make: @Sendable () async throws -> some Sequence<UInt8>
    ) async throws -> Response {
        var buffer = try await made(work, make)
        guard buffer.readableBytes > ordinaryBytes else { return Response(jsonBody: .init(byteBuffer: buffer)) }
        var share = memory.takeAtOnce(buffer.readableBytes)
        if share == nil {
            let needed = buffer.readableBytes
            buffer = ByteBuffer()
            share = try await memory.take(needed)
            buffer = try await made(work, make)
        }
        return Response(document: TakenOnce((buffer, share)), length: buffer.readableBytes, channel: context.channel)
    }

    private func made(
        _ work: Work, _ make: @Sendable () async throws -> some Sequence<UInt8>
    ) async throws -> ByteBuffer {
        try await run(work) { ByteBuffer(bytes: try await make()) }
    }

    /// Does a part of the work for a document when there is a place for it.
    func run<Value: Sendable>(_ work: Work, _ body: () async throws -> Value) async throws -> Value {
        let (places, thread) =
            switch work {
            case .brief: (briefPlaces, thread)
            case .search: (searchPlaces, thread)
            case .trial: (trialPlaces, trialThread)
            case .groups: (groupPlaces, thread)
            }
        let place = try await places.take(1)
        defer { withExtendedLifetime(place) {} }
        return try await withTaskExecutorPreference(thread) { try await body() }
    }
}

extension Response {
    /// Returns the share when the client has received the document.
    fileprivate init(
        document: TakenOnce<(ByteBuffer, Budget.Share?)>, length: Int, channel: (any Channel)?
    ) {
        self.init(
            jsonBody: ResponseBody(contentLength: length) { writer in
                guard let (buffer, share) = document.take() else { return }
                let body = PacedBody(writer, channel: channel)
                try await body.write(buffer)
                withExtendedLifetime(share) {}
                try await body.finish()
            })
    }
}

/// A thread for the tasks that make large documents. All other tasks share one thread per core, and fast requests need
/// those.
final class DocumentThread: TaskExecutor {
    private let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
