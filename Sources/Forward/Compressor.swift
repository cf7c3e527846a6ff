import CZlib
import Model

/// Compresses request bodies with zlib.
enum Compressor {
    /// The size below which bodies are not compressed: it would save no packet.
    static let threshold = 5120

    /// - Returns: `nil` when zlib cannot allocate memory, or when `compression` is none.
    static func compress(_ plain: [UInt8], _ compression: SinkOptions.Compression) -> [UInt8]? {
        switch compression {
        case .gzip: deflate(plain, windowBits: MAX_WBITS + 16)
        // HTTP's "deflate" is the zlib format, not the bare stream that its name suggests (RFC 9110, 8.4.1.2).
        case .deflate: deflate(plain, windowBits: MAX_WBITS)
        case .none: nil
        }
    }

    private static let chunkSize = 64 * 1024

    private static func deflate(_ plain: [UInt8], windowBits: Int32) -> [UInt8]? {
        var stream = z_stream()
        // zlib keeps the address of the stream, so one pointer serves for all calls.
        return withUnsafeMutablePointer(to: &stream) { stream in
            guard gloss_deflate_init(stream, Z_DEFAULT_COMPRESSION, windowBits) == Z_OK else { return nil }
            defer { deflateEnd(stream) }
            return plain.withUnsafeBufferPointer { deflate($0, stream) }
        }
    }

    /// Passes the body to zlib in pieces, since its counters have 32 bits, and takes the output after each.
    private static func deflate(
        _ plain: UnsafeBufferPointer<UInt8>, _ stream: UnsafeMutablePointer<z_stream>
    ) -> [UInt8]? {
        var compressed: [UInt8] = []
        var offset = 0
        repeat {
            let piece = UnsafeBufferPointer(rebasing: plain[offset..<min(offset + chunkSize, plain.count)])
            offset += piece.count
            stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
            stream.pointee.avail_in = UInt32(piece.count)
            let flush = offset == plain.count ? Z_FINISH : Z_NO_FLUSH
            repeat {
                let status = appendOutput(of: stream, flush, to: &compressed)
                guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return nil }
            } while stream.pointee.avail_out == 0
        } while offset < plain.count
        return compressed
    }

    private static func appendOutput(
        of stream: UnsafeMutablePointer<z_stream>, _ flush: Int32, to compressed: inout [UInt8]
    ) -> Int32 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunkSize) { output in
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(chunkSize)
            let status = CZlib.deflate(stream, flush)
            compressed.append(contentsOf: output.prefix(chunkSize - Int(stream.pointee.avail_out)))
            return status
        }
    }
}
