/// Puts the data of a block together: where the parts are, as a frame of its own behind its length, and the parts.
struct BlockParts {
    private let frames: BlockFrames
    private var directory = ByteWriter()
    private var data: [UInt8] = []
    private var part = ByteWriter()

    init(_ frames: BlockFrames) { self.frames = frames }

    mutating func append(_ section: BlockSection, count: Int, _ write: (inout ByteWriter) -> Void) {
        part = ByteWriter(reusing: part.bytes)
        write(&part)
        directory.append(number: section.number)
        directory.append(number: count)
        directory.append(number: part.bytes.count)
        directory.append(number: frames.pack(part.bytes, into: &data))
    }

    func finished() -> [UInt8] {
        var frame: [UInt8] = []
        frames.pack(directory.bytes, into: &frame)
        var output = ByteWriter()
        output.append(UInt64(frame.count), width: 4)
        output.append(frame)
        output.append(data)
        return output.bytes
    }
}
