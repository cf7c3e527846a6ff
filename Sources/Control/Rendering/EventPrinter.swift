import API
import Model

/// Writes the lines of a stream in the selected format, each piece as soon as it arrives.
struct EventPrinter {
    /// What is printed of events.
    enum Form {
        /// A line for each event.
        case lines
        /// All of each event.
        case full
        /// The payload or message of each event, on one line.
        case contents
        /// The lines of the stream, unchanged.
        case unchanged(isArray: Bool)
        case table(EventTable)
        case template(EventTemplate, Zone)
    }

    private let form: Form
    private let console: Console
    private let output: ByteSink
    private let terminalWidth: @Sendable () -> Int?
    private var renderer: EventRenderer
    private var common: CommonParameters
    private var isFirst = true

    /// The members of event lines that are needed.
    let members: LineMembers
    /// Whether lines are written unchanged, so that they need not be parsed.
    let passesLines: Bool

    /// - Parameter differences: finds what is printed instead of all parameters.
    init(
        _ form: Form, differences: EventDifferences? = nil, style: Style, console: Console, common: CommonParameters
    ) {
        self.form = form
        self.common = common
        self.console = console
        output = form.isJSON ? console.machineOutput : console.output
        terminalWidth = console.terminalWidth
        members = form.members
        passesLines = if case .unchanged(isArray: false) = form { console.terminalWidth() == nil } else { false }
        renderer = EventRenderer(style: style)
        renderer.differences = differences
    }

    /// Writes a piece of a stream unchanged.
    func pass(_ piece: [UInt8]) throws { try output.write(piece) }

    /// Writes lines, and the end of the output if the last of them says that the stream failed.
    mutating func print(_ lines: [[UInt8]]) async throws {
        try await write(lines)
        if StreamLine.problem(in: lines) != nil { try finish() }
    }

    mutating func write(_ lines: [[UInt8]]) async throws { try output.write(try await bytes(lines)) }

    private mutating func bytes(_ lines: [[UInt8]]) async throws -> [UInt8] {
        switch form {
        case .lines: try await text(lines)
        case .full: full(lines)
        case .contents: contents(lines)
        case .unchanged(isArray: false): lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        case .unchanged(isArray: true): elements(lines)
        case .table(let table):
            rows(lines, separatedBy: table.separator, beginningWith: table.heading) { $1 += table.row($0) }
        case .template(let template, let zone): rows(lines) { $1 += template.line($0, zone).utf8 }
        }
    }

    private mutating func elements(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += (isFirst ? "[\n" : ",\n").utf8
            bytes += line
            isFirst = false
        }
        return bytes
    }

    /// Writes the end of the output.
    func finish() throws {
        if form.isArray {
            try output.write(Array((isFirst ? "[]\n" : "\n]\n").utf8))
        } else if isFirst, case .table(let table) = form {
            // A table without rows is a table.
            try output.write(table.heading)
        }
    }

    /// Writes all of each event, with an empty line between two.
    private mutating func full(_ lines: [[UInt8]]) -> [UInt8] {
        if renderer.style.width != nil { renderer.style.width = terminalWidth() }
        let detail = EventDetailRenderer(style: renderer.style)
        return rows(lines, separatedBy: "\n") { $1 += detail.text($0).utf8 }
    }

    /// Writes the message or payload of each event on one line.
    private func contents(_ lines: [[UInt8]]) -> [UInt8] {
        events(lines) { event, bytes in
            switch event.content {
            case .payload(let json): bytes += SafeText.neutralised(json: json)
            case .message(let text, _): bytes += SafeText.neutralised(text).utf8
            }
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// Writes what `write` writes of each event.
    /// - Parameter beginning: comes before the first event of the output.
    private mutating func rows(
        _ lines: [[UInt8]], separatedBy separator: String = "", beginningWith beginning: [UInt8] = [],
        _ write: @Sendable (EventLine, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var output = events(lines) { event, bytes in
            bytes += separator.utf8
            write(event, &bytes)
        }
        guard isFirst, !output.isEmpty else { return output }
        isFirst = false
        output.replaceSubrange(..<separator.utf8.count, with: beginning)
        return output
    }

    /// Writes what `write` writes of each event, several at a time. Other lines of the stream go to the errors.
    private func events(
        _ lines: [[UInt8]], _ write: @Sendable (EventLine, inout [UInt8]) -> Void
    ) -> [UInt8] {
        let parts = SideBySide.map(Self.parts(lines)) { [members] lines in
            var (bytes, remarks) = ([UInt8](), [String]())
            var reader = StreamLineReader(members)
            for line in lines {
                switch ParsedLine(line, &reader) {
                case .read(.event(let event)): write(event, &bytes)
                case .read(.gap(let gap)): remarks.append(GapText.text(gap))
                case .read(.missed(let count)): remarks.append(GapText.text(missed: count))
                case .read(.late(let count)): remarks.append(GapText.text(late: count))
                case .read(.error), .read(.other): break
                case .unreadable(let text): remarks.append(text)
                }
            }
            return (bytes: bytes, remarks: remarks)
        }
        for remark in parts.flatMap(\.remarks) { console.complain(remark) }
        return parts.flatMap(\.bytes)
    }

    /// Renders lines, several at a time.
    private mutating func text(_ lines: [[UInt8]]) async throws -> [UInt8] {
        // The window may have been resized since the last line.
        if renderer.style.width != nil { renderer.style.width = terminalWidth() }
        let parts = SideBySide.map(Self.parts(lines)) { [members, style = renderer.style] lines in
            var (columns, reader) = (EventRenderer(style: style), StreamLineReader(members))
            let parsed = lines.map { ParsedLine($0, &reader) }
            for case .read(let line) in parsed { columns.fit(line) }
            return (lines: parsed, columns: columns)
        }
        var last: String?
        for (lines, columns) in parts {
            for case .read(.event(let event)) in lines {
                guard let dictionary = event.dictionary, dictionary != last else { continue }
                renderer.common[dictionary] = try await common.names(dictionary)
                last = dictionary
            }
            renderer.widen(like: columns)
        }
        if parts.count == 1 || renderer.needsAllBefore {
            return parts.flatMap { renderer.text($0.lines) }
        }
        var later: [(renderer: EventRenderer, lines: [ParsedLine])] = []
        for (lines, _) in parts {
            later.append((renderer, lines))
            renderer.skip(lines.lazy.compactMap(\.read))
        }
        return SideBySide.map(later) { part in
            var renderer = part.renderer
            return renderer.text(part.lines)
        }.flatMap(\.self)
    }

    private static func parts(_ lines: [[UInt8]]) -> [ArraySlice<[UInt8]>] { SideBySide.parts(lines, ofAtLeast: 16) }
}

extension EventPrinter.Form {
    /// The members of event lines that it is made from.
    fileprivate var members: LineMembers {
        switch self {
        case .lines: LineMembers(toRead: EventRenderer.members)
        case .full, .unchanged: .all
        case .contents: LineMembers(toRead: ["payload", "message"])
        case .table(let table): LineMembers(toRead: table.fields.flatMap(\.members))
        case .template(let template, _): LineMembers(toRead: template.members)
        }
    }

    fileprivate var isJSON: Bool {
        switch self {
        case .unchanged: true
        case .table(let table): table.form == .json || table.form == .ndjson
        case .lines, .full, .contents, .template: false
        }
    }

    /// Whether it is one array of JSON.
    fileprivate var isArray: Bool {
        switch self {
        case .unchanged(let isArray): isArray
        case .table(let table): table.form == .json
        case .lines, .full, .contents, .template: false
        }
    }
}

extension EventRenderer {
    fileprivate mutating func text(_ lines: [ParsedLine]) -> [UInt8] {
        var text = ""
        for line in lines {
            switch line {
            case .read(.error): break  // said on standard error
            case .read(let line): write(line, to: &text)
            // The line may be from a newer daemon: show it unchanged.
            case .unreadable(let line): text += "-- \(SafeText.neutralised(line))\n"
            }
        }
        return Array(text.utf8)
    }
}

/// A line of a stream as it was read.
private enum ParsedLine: Sendable {
    case read(StreamLine)
    /// Why it could not be read, and the line.
    case unreadable(String)

    init(_ line: [UInt8], _ reader: inout StreamLineReader) {
        do throws(StreamLineError) {
            self = .read(try reader.read(line))
        } catch {
            self = .unreadable("\(error): \(String(decoding: line, as: UTF8.self))")
        }
    }

    var read: StreamLine? { if case .read(let line) = self { line } else { nil } }
}
