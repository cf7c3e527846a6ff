import API
import Model
import Predicates

/// A reply of `GET /v1/stats` as a table.
struct StatsTable {
    private(set) var reply: StatsReply
    /// The reply as it came.
    private let document: [UInt8]
    private let query: StatsQuery
    private let zone: Zone

    /// Asks the daemon.
    /// - Parameter zone: that of the reader.
    /// - Throws: `ControlError`, also for a reply that is none.
    init(_ query: StatsQuery, from client: ControlClient, zone: Zone) async throws {
        document = try await client.document(APIPath.stats(query), timeout: ControlClient.scanTimeout)
        reply = try ControlClient.decode(StatsReply.self, document)
        (self.query, self.zone) = (query, zone)
    }

    /// Prints the table, and on standard error what is not in it; a table for people says that itself.
    func print(as format: TableFormat, _ style: Style, on console: Console) throws {
        switch format {
        case .text: return try console.print(StatsRenderer(style: style).text(self))
        case .markdown: try console.print(markdown)
        case .csv: try console.output.write(csv(style))
        case .json: try console.print(document: document)
        }
        omitted.map(console.complain)
    }

    /// The column that has a part of time.
    var timeColumn: Int? { query.keys.firstIndex { TimeUnit(rawValue: $0) != nil } }
    /// The columns of `--distinct` and `--of` for people.
    var shownMeasures: [StatsColumn] {
        // How many numbers there are is only said where it is not how many events there are.
        let isOfAll = reply.rows.allSatisfy { $0.numbers?.count ?? $0.count == $0.count }
        return measures(hasCount: !isOfAll).filter { $0.heading != nil }
    }

    private func measures(hasCount: Bool) -> [StatsColumn] {
        (query.distinct.map { [.distinct(of: $0)] } ?? [])
            + (query.measure == nil ? [] : (hasCount ? [.numberCount] : []) + StatsColumn.numbers)
    }

    /// The text of a value for people; `nil` if there is none.
    func text(_ value: KeyValue) -> String? {
        guard let text = value.value else { return nil }
        // 2026-11-21T10:00:00+09:00, by the clock that the parts were made by.
        guard let unit = TimeUnit(rawValue: value.key), text.utf8.count == 25 else {
            let isName = if case .text(let key)? = PredicateKey.named(value.key)?.meaning { key.isName } else { false }
            return SafeText.neutralised(text, isName: isName)
        }
        let (date, time) = (text.prefix(10), text.dropFirst(11).prefix(5))
        let start =
            switch unit {
            case .minute, .hour: "\(date) \(time)"
            case .day, .week: String(date)
            case .month: String(date.dropLast(3))
            }
        let isClear = isByReadersClock(text) && !(unit.hasTimeOfDay && isRepeated(text))
        return SafeText.neutralised(isClear ? start : start + text.suffix(6))
    }

    /// Whether the reader's clock shows a time as it is written.
    func isByReadersClock(_ text: String) -> Bool {
        guard let time = WireTime(text) else { return true }
        return CivilTime.iso(time.microseconds, zone).hasPrefix(String(text.prefix(19)))
    }

    private func isRepeated(_ text: String) -> Bool {
        WireTime(text).map { zone.isRepeated($0.microseconds) } ?? false
    }

    // MARK: numbers

    /// A number with as many digits as people need: `12,345`, `8.25`, `0.0041`, `1.26e-05`, `12.3M`.
    static func short(_ number: Double) -> String {
        let size = abs(number)
        if number == number.rounded(), size < 1e7 { return Quantity.count(Int64(number)) }
        guard size >= 0.0001, size < 1e18 else { return threeDigits(number) }
        for (unit, length) in [("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)] where size >= length * 0.9995 {
            return decimals(number / length, size / length >= 100 ? 0 : size / length >= 10 ? 1 : 2) + unit
        }
        return decimals(number, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4)
    }

    /// - Parameter number: so small or large that it is written with an exponent.
    private static func threeDigits(_ number: Double) -> String {
        let parts = String(number).split(separator: "e")
        guard parts.count == 2, let digits = Double(parts[0]),
            let rounded = Double("\((digits * 100).rounded() / 100)e\(parts[1])"), rounded.isFinite
        else { return String(number) }
        return String(rounded)
    }

    private static func decimals(_ number: Double, _ count: Int) -> String {
        let scale = [1, 10, 100, 1000, 10_000][count]
        let scaled = Int64((abs(number) * Double(scale)).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        guard count > 0 else { return sign + Quantity.count(whole) }
        let digits = String(rest)
        return "\(sign)\(Quantity.count(whole)).\(String(repeating: "0", count: count - digits.count))\(digits)"
    }

    // MARK: machines and documents

    /// How to see what is left out.
    var remedy: String?

    /// What is not in the table; `nil` if all is.
    var omitted: String? {
        var sentences: [String] = []
        if reply.groups > reply.rows.count {
            let count = reply.groups - reply.rows.count
            let remedy = remedy ?? (query.top < query.mostTop ? "--top N, or filters" : "filters show them")
            let verb = count == 1 ? "is" : "are"
            sentences.append("\(Quantity.count(count)) more \(verb) left out (\(remedy))")
        }
        if let uncertainty = reply.uncertainty {
            sentences.append(
                """
                there are too many groups to count all: one that is not here may have up to \
                \(Quantity.count(uncertainty)) events
                """)
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// The values alone, one on each line.
    var values: String {
        reply.rows.compactMap { row in row.values.first.flatMap(text) }.map { $0 + "\n" }.joined()
    }

    private func csv(_ style: Style) -> [UInt8] {
        let (csv, columns) = (CSVText(style), StatsColumn.usual + measures(hasCount: true))
        return csv.line(query.keys + columns.map(\.name))
            + reply.rows.flatMap { row in csv.line(row.values.map(\.value) + columns.map { $0.exact(row) }) }
    }

    private var markdown: String {
        let columns = StatsColumn.usual.filter { $0.heading != nil } + shownMeasures
        let headings = query.keys + columns.compactMap(\.heading)
        let numeric = Set(query.keys.count..<headings.count)
        var result = MarkdownText.heading(headings.map(MarkdownText.escaped), numeric: numeric)
        for row in reply.rows {
            let values = row.values.map { text($0).map(MarkdownText.codeInTable) ?? "(none)" }
            result += MarkdownText.row(values + columns.map { $0.shown(row) })
        }
        return result
    }
}

extension TimeUnit {
    /// Whether its parts are shown with the time of day at which they begin.
    fileprivate var hasTimeOfDay: Bool { self == .minute || self == .hour }
}
