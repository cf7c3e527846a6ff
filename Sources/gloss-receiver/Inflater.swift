import CZlib

/// Decompresses request bodies.
enum Inflater {
    enum Failure: Error { case damaged, tooLarge, unknownEncoding }

    /// - Parameter encoding: the request's `Content-Encoding`.
    /// - Throws: `damaged` for any bytes after the compressed data, except further members of gzip; `tooLarge` as soon as the output exceeds `limit`, so a small body cannot expand without bound.
    static func plain(_ body: [UInt8], encoding: String?, limit: Int) throws(Failure) -> [UInt8] {
        switch encoding?.lowercased() {
        case nil, "identity": return body
        case "gzip", "x-gzip": return try inflate(body, windowBits: MAX_WBITS + 16, limit: limit)
        case "deflate": return try inflate(body, windowBits: MAX_WBITS, limit: limit)
        default: throw .unknownEncoding
        }
    }

    private static func inflate(_ body: [UInt8], windowBits: Int32, limit: Int) throws(Failure) -> [UInt8] {
        var plain: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        var status = Z_OK
        var body = body
        var stream = z_stream()
        // zlib keeps the addresses, so all calls must be within the closures.
        withUnsafeMutablePointer(to: &stream) { stream in
            body.withUnsafeMutableBufferPointer { input in
                status = gloss_inflate_init(stream, windowBits)
                guard status == Z_OK else { return }
                defer { inflateEnd(stream) }
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                while status == Z_OK, plain.count <= limit {
                    let count = chunk.withUnsafeMutableBufferPointer { output in
                        stream.pointee.next_out = output.baseAddress
                        stream.pointee.avail_out = UInt32(output.count)
                        status = CZlib.inflate(stream, Z_NO_FLUSH)
                        return output.count - Int(stream.pointee.avail_out)
                    }
                    plain += chunk.prefix(count)
                    guard status == Z_STREAM_END, stream.pointee.avail_in > 0 else { continue }
                    // Only gzip may have several members.
                    status = windowBits > MAX_WBITS ? inflateReset(stream) : Z_DATA_ERROR
                }
            }
        }
        guard plain.count <= limit else { throw .tooLarge }
        guard status == Z_STREAM_END else { throw .damaged }
        return plain
    }
}
