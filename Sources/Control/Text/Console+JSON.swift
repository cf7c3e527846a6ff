import Model

extension Console {
    /// Where JSON goes: to a terminal harmless, into a pipe or file as it is. Whole characters must be written at a time.
    var machineOutput: ByteSink {
        guard terminalWidth() != nil else { return output }
        return ByteSink { [output] json in try output.write(SafeText.neutralised(json: json)) }
    }

    /// A reply as the daemon wrote it, on one line.
    func print(document: [UInt8]) throws {
        try machineOutput.write(document.last == UInt8(ascii: "\n") ? document : document + [UInt8(ascii: "\n")])
    }

    /// Replies as the daemon wrote them, as the members of one array.
    func print(array documents: [[UInt8]]) throws {
        try machineOutput.write(Array("[".utf8) + documents.joined(separator: ",".utf8) + Array("]\n".utf8))
    }
}
