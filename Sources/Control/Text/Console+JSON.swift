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

    /// Prints a reply of the daemon unchanged, or a text that is made of it, however much of it is read.
    func answer(_ format: DocumentFormat, _ document: [UInt8], _ text: () throws -> String) throws {
        try answer {
            switch format {
            case .json: try print(document: document)
            case .text: try print(text())
            }
        }
    }

    /// Prints replies of the daemon unchanged, as the elements of one array.
    func print(array documents: [[UInt8]]) throws {
        try machineOutput.write(Array("[".utf8) + documents.joined(separator: ",".utf8) + Array("]\n".utf8))
    }
}
