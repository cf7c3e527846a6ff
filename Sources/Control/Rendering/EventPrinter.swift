import API
import Model

/// Writes the lines of a stream as the command line asks, each piece as soon as it has come.
struct EventPrinter {
    private let format: EventFormat
    private let output: ByteSink
    private let terminalWidth: @Sendable () -> Int?
    private var renderer: EventRenderer
    private var common: CommonParameters
    private var isFirst = true

    /// Whether lines are written as they come, so that nobody need look at them.
    let passesLines: Bool

    init(format: EventFormat, style: Style, console: Console, common: CommonParameters) {
        self.format = format
        self.common = common
        output = format == .text ? console.output : console.machineOutput
        terminalWidth = console.terminalWidth
        passesLines = format == .ndjson && console.terminalWidth() == nil
        renderer = EventRenderer(style: style)
    }

    /// A piece of a stream that is written as it is.
    func pass(_ piece: [UInt8]) throws { try output.write(piece) }

    /// - Throws: `ControlError.refused` behind a line that says that the stream failed.
    mutating func print(_ lines: [[UInt8]]) async throws {
        var bytes: [UInt8] = []
        switch format {
        case .ndjson:
            for line in lines { bytes += line + [UInt8(ascii: "\n")] }
        case .json:
            for line in lines {
                bytes += (isFirst ? "[\n" : ",\n").utf8
                bytes += line
                isFirst = false
            }
        case .text:
            bytes = try await text(lines)
        }
        try output.write(bytes)
        if let problem = lines.lazy.compactMap(StreamLine.problem).first {
            try finish()
            throw ControlError.refused(problem)
        }
    }

    /// Ends what was begun.
    func finish() throws {
        guard format == .json else { return }
        try output.write(Array((isFirst ? "[]\n" : "\n]\n").utf8))
    }

    private mutating func text(_ lines: [[UInt8]]) async throws -> [UInt8] {
        let parsed = lines.map { line in Result { () throws(StreamLineError) in try StreamLine.parse(line) } }
        // The window may have been resized since the last line.
        if renderer.style.width != nil { renderer.style.width = terminalWidth() }
        for case .success(let line) in parsed {
            if case .event(let event) = line, let dictionary = event.dictionary {
                renderer.common[dictionary] = try await common.names(dictionary)
            }
            renderer.fit(line)
        }
        var text = ""
        for (line, result) in zip(lines, parsed) {
            switch result {
            case .success(.error): break  // said on standard error
            case .success(let line): text += renderer.text(line)
            case .failure(let error):
                // Of a newer daemon, perhaps: better shown as it is than left out.
                text += "-- \(SafeText.neutralised("\(error): \(String(decoding: line, as: UTF8.self))"))\n"
            }
        }
        return Array(text.utf8)
    }
}
