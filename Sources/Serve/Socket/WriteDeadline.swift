import NIOCore

/// Closes a connection whose client does not read: when what is buffered for it has been above the high watermark for
/// longer than `time`.
///
/// Hummingbird's idle time-out is off while a response is written.
final class WriteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let time: TimeAmount
    private var closing: Scheduled<Void>?

    init(time: Duration) {
        self.time = TimeAmount(time)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        closing?.cancel()
        closing = nil
        if !context.channel.isWritable {
            closing = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }
}
