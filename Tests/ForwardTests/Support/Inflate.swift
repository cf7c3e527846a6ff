import CZlib
import Testing

/// What zlib itself makes of compressed bytes.
func inflate(_ compressed: [UInt8], windowBits: Int32, room: Int) throws -> [UInt8] {
    var compressed = compressed
    var plain = [UInt8](repeating: 0, count: room)
    var stream = z_stream()
    let (status, count) = withUnsafeMutablePointer(to: &stream) { stream in
        compressed.withUnsafeMutableBufferPointer { input in
            plain.withUnsafeMutableBufferPointer { output in
                guard gloss_inflate_init(stream, windowBits) == Z_OK else { return (Z_MEM_ERROR, 0) }
                defer { inflateEnd(stream) }
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                let status = CZlib.inflate(stream, Z_FINISH)
                return (status, output.count - Int(stream.pointee.avail_out))
            }
        }
    }
    try #require(status == Z_STREAM_END)
    return Array(plain.prefix(count))
}
