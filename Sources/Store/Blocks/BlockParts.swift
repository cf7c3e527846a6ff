/// Puts the data of a block together: the length of the directory, which says where the parts are, and the parts.
struct BlockParts {
    private let frames: BlockFrames
    private var directory = ByteWriter()
    private var data: [UInt8] = []
    private var part = ByteWriter()

    init(_ frames: BlockFrames) { self.frames = frames }

    /// A part is packed only where that makes it smaller by a fifth: what cannot be compressed is read much faster as it is.
    mutating func append(_ section: BlockSection, count: Int, _ write: (inout ByteWriter) -> Void) {
        part.removeAll()
        write(&part)
        let (start, bytes) = (data.count, part.bytes.count)
        var size = frames.pack(part.bytes, into: &data)
        let isPacked = size * 5 < bytes * 4
        if !isPacked {
            data.removeLast(size)
            PlainPart.append(part.bytes, to: &data)
            size = data.count - start
        }
        directory.append(number: section.number << 1 | (isPacked ? 1 : 0))
        directory.append(number: count)
        directory.append(number: bytes)
        directory.append(number: size)
    }

    func finished() -> [UInt8] {
        var directory: [UInt8] = []
        PlainPart.append(self.directory.bytes, to: &directory)
        var output = ByteWriter()
        output.append(UInt64(directory.count), width: 4)
        output.append(directory)
        output.append(data)
        return output.bytes
    }
}
