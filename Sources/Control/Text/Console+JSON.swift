import Model

extension Console {
    /// The output for JSON: escaped for a terminal, unchanged for a pipe or file. Each write must have whole
    /// characters.
    var machineOutput: ByteSink {
        guard terminalWidth() != nil else { return output }
        return ByteSink { [output] json in try output.write(SafeText.neutralised(json: json)) }
    }

    /// Prints a reply of the daemon unchanged, on one line.
    func print(document: [UInt8]) throws {
        try machineOutput.write(document.last == UInt8(ascii: "\n") ? document : document + [UInt8(ascii: "\n")])
    }

    /// Prints replies of the daemon unchanged, as the elements of one array.
    func print(array documents: [[UInt8]]) throws {
        try machineOutput.write(Array("[".utf8) + documents.joined(separator: ",".utf8) + Array("]\n".utf8))
    }
}
