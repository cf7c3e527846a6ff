import Model

extension RawSpan {
    @inline(__always)
    func uint8(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always)
    func uint32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func uint64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension ID128 {
    /// As a journal file has it: 16 bytes in the order in which their digits are written.
    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int) {
        self.init(high: bytes.uint64(at: offset).byteSwapped, low: bytes.uint64(at: offset + 8).byteSwapped)
    }
}
