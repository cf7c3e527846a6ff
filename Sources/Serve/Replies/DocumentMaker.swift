import Dispatch
import Hummingbird
import NIOCore
import Queries

/// Makes replies that are one document whose size is known only when it is made. Few are made at a time; one that is
/// larger than an ordinary page is kept only with a share of the memory.
struct DocumentMaker: Sendable {
    enum Work {
        /// Made from what is counted, in no time.
        case brief
        /// Events are read for it, perhaps all of them.
        case search
    }

    private let memory: StreamMemory
    /// What is larger takes a share.
    private let ordinaryBytes: Int
    /// How many may be made at a time. Those that take long do not stand in the way of the others.
    private let briefPlaces = StreamMemory(bytes: 4)
    private let searchPlaces = StreamMemory(bytes: 16)
    let thread = DocumentThread()

    init(_ memory: StreamMemory, _ limits: ControlLimits) {
        self.memory = memory
        ordinaryBytes = limits.pages.payloadBytes
    }

    /// - Parameter make: called once more where there is no memory for the document at once: then that was too much to wait
    ///   with.
    func response(
        _ context: ControlContext, _ work: Work = .brief,
        _ make: @Sendable () async throws -> some Sequence<UInt8>
    ) async throws -> Response {
        var buffer = try await made(work, make)
        guard buffer.readableBytes > ordinaryBytes else { return Response(document: buffer) }
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
        let place = try await (work == .brief ? briefPlaces : searchPlaces).take(1)
        defer { withExtendedLifetime(place) {} }
        return try await withTaskExecutorPreference(thread) { ByteBuffer(bytes: try await make()) }
    }
}

extension Response {
    fileprivate init(document: ByteBuffer) {
        self.init(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: document))
    }

    /// Gives the share back when the client has taken the document.
    fileprivate init(
        document: TakenOnce<(ByteBuffer, StreamMemory.Share?)>, length: Int, channel: (any Channel)?
    ) {
        self.init(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(contentLength: length) { writer in
                guard let (buffer, share) = document.take() else { return }
                let body = PacedBody(writer, channel: channel)
                try await body.write(buffer)
                withExtendedLifetime(share) {}
                try await body.finish()
            })
    }
}

/// A thread for the tasks that make large documents: the threads that all tasks share are as few as the machine has
/// cores, and who asks for the status needs them.
final class DocumentThread: TaskExecutor {
    private let queue = DispatchQueue(label: "gloss.documents")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
