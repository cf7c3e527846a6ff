import API
import Model

/// Writes the lines of a stream in the selected format, each piece as soon as it arrives.
struct EventPrinter {
    private let format: EventFormat
    private let selection: EventSelection?
    private let console: Console
    private let output: ByteSink
    private let terminalWidth: @Sendable () -> Int?
    private var renderer: EventRenderer
    private var common: CommonParameters
    private var isFirst = true

    /// Whether lines are written unchanged, so that they need not be parsed.
    let passesLines: Bool

    /// - Parameters:
    ///   - selection: what is printed instead of whole events.
    ///   - differences: finds what is printed instead of all parameters.
    init(
        format: EventFormat, selection: EventSelection? = nil, differences: EventDifferences? = nil, style: Style,
        console: Console, common: CommonParameters
    ) {
        (self.format, self.selection) = (format, selection)
        self.common = common
        self.console = console
        output = format == .json || format == .ndjson ? console.machineOutput : console.output
        terminalWidth = console.terminalWidth
        passesLines = format == .ndjson && selection == nil && console.terminalWidth() == nil
        var style = style
        style.hasISOTimes = format == .shortISO
        renderer = EventRenderer(style: style)
        renderer.differences = differences
    }

    /// Writes a piece of a stream unchanged.
    func pass(_ piece: [UInt8]) throws { try output.write(piece) }

    /// - Throws: `ControlError.refused` after a line that says that the stream failed.
    mutating func print(_ lines: [[UInt8]]) async throws {
        var bytes: [UInt8] = []
        switch format {
        case _ where selection != nil, .csv, .markdown: bytes = selected(lines)
        case .ndjson:
            for line in lines { bytes += line + [UInt8(ascii: "\n")] }
        case .json:
            for line in lines {
                bytes += (isFirst ? "[\n" : ",\n").utf8
                bytes += line
                isFirst = false
            }
        case .short, .shortISO:
            bytes = try await text(lines)
        case .full:
            bytes = full(lines)
        case .cat:
            bytes = contents(lines)
        }
        try output.write(bytes)
        if let problem = lines.lazy.compactMap(StreamLine.problem).first {
            try finish()
            throw ControlError.refused(problem)
        }
    }

    /// Writes the end of the output.
    func finish() throws {
        // A table without rows is a table.
        if isFirst, case .table(let table) = selection { try output.write(Array(table.heading.utf8)) }
        guard format == .json else { return }
        try output.write(Array((isFirst ? "[]\n" : "\n]\n").utf8))
    }

    /// Writes all of each event, with an empty line between two.
    private mutating func full(_ lines: [[UInt8]]) -> [UInt8] {
        if renderer.style.width != nil { renderer.style.width = terminalWidth() }
        let detail = EventDetailRenderer(style: renderer.style)
        var (bytes, isFirst) = ([UInt8](), isFirst)
        forEachEvent(lines) { event in
            bytes += ((isFirst ? "" : "\n") + detail.text(event)).utf8
            isFirst = false
        }
        self.isFirst = isFirst
        return bytes
    }

    /// Writes the message or payload of each event on one line.
    private func contents(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        forEachEvent(lines) { event in
            switch event.content {
            case .payload(let json): bytes += SafeText.neutralised(json: json)
            case .message(let text, _): bytes += SafeText.neutralised(text).utf8
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// Writes what was chosen of each event.
    private mutating func selected(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        var isFirst = isFirst
        forEachEvent(lines) { event in
            switch selection {
            case .table(let table):
                if isFirst { bytes += table.heading.utf8 }
                if format == .json { bytes += (isFirst ? "[\n" : ",\n").utf8 }
                bytes += table.row(event)
            case .template(let template, let zone): bytes += template.line(event, zone).utf8
            case nil: break
            }
            isFirst = false
        }
        self.isFirst = isFirst
        return bytes
    }

    /// Calls `body` with each event. Other lines of the stream go to the errors.
    private func forEachEvent(_ lines: [[UInt8]], _ body: (EventLine) -> Void) {
        for line in lines {
            let parsed = Result { () throws(StreamLineError) in try StreamLine.parse(line) }
            switch parsed {
            case .success(.event(let event)): body(event)
            case .success(.gap(let gap)): console.complain(GapText.text(gap))
            case .success(.missed(let count)): console.complain(GapText.text(missed: count))
            case .success(.late(let count)): console.complain(GapText.text(late: count))
            case .success(.error), .success(.other): break
            case .failure(let error): console.complain("\(error): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    private mutating func text(_ lines: [[UInt8]]) async throws -> [UInt8] {
        let parsed = lines.map { line in Result { () throws(StreamLineError) in try StreamLine.parse(line) } }
        // The window may have been resized since the last line.
        if renderer.style.width != nil { renderer.style.width = terminalWidth() }
        var last: String?
        for case .success(let line) in parsed {
            if case .event(let event) = line, let dictionary = event.dictionary, dictionary != last {
                renderer.common[dictionary] = try await common.names(dictionary)
                last = dictionary
            }
            renderer.fit(line)
        }
        var text = ""
        for (line, result) in zip(lines, parsed) {
            switch result {
            case .success(.error): break  // said on standard error
            case .success(let line): text += renderer.text(line)
            case .failure(let error):
                // The line may be from a newer daemon: show it unchanged.
                text += "-- \(SafeText.neutralised("\(error): \(String(decoding: line, as: UTF8.self))"))\n"
            }
        }
        return Array(text.utf8)
    }
}
