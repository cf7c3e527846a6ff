import API
import Model

/// Renders groups of events as a table for people.
struct StatsRenderer {
    let style: Style

    /// The number of parts of a trend, each of which is a character.
    static let trendParts = 24
    /// The width from which a table has a trend.
    private static let leastWidth = 80
    /// The width of the longest bar.
    private static let barWidth = 30

    static func hasTrend(_ style: Style, _ query: StatsQuery) -> Bool {
        (style.width ?? 0) >= leastWidth && query.measure == nil
    }

    func text(_ stats: StatsTable) -> String {
        let rows = rows(of: stats)
        var columns = columns(of: stats, rows)
        var table = table(stats, rows, columns)
        // Numbers that were asked for, and names on one line with them, are worth more than what follows from counts.
        while !stats.shownMeasures.isEmpty, !table.fits(style), let place = columns.lastIndex(where: \.isOfCount) {
            columns.remove(at: place)
            table = self.table(stats, rows, columns)
        }
        return summary(stats.reply) + table.rendered(style) + histogram(stats.reply)
            + (stats.omitted.map { TextBlock.wrapped("… \($0)", indent: 0, style) } ?? "")
    }

    private func table(_ stats: StatsTable, _ rows: [StatsRow], _ columns: [Column]) -> TextTable {
        let keys = stats.reply.by
        let numeric = columns.indices.filter { columns[$0].isNumeric }.map { keys.count + $0 }
        var table = TextTable(
            keys.map { $0.uppercased() } + columns.map(\.heading), numeric: Set(numeric), names: Set(keys.indices))
        let unit = keys.lazy.compactMap { TimeUnit(rawValue: $0) }.first
        let gaps = unit.map { self.gaps(in: rows, $0, stats) } ?? []
        for (place, row) in rows.enumerated() {
            if gaps.contains(place) {
                let omitted = keys.map { $0 == unit?.rawValue ? "…" : "" } + columns.map { _ in "" }
                table.append(omitted.map { TextTable.Cell($0, .faint) })
            }
            let values = row.values.map { value in
                stats.text(value).map { TextTable.Cell($0, .heading) } ?? TextTable.Cell("(none)", .faint)
            }
            table.append(values + columns.map { TextTable.Cell($0.text(row), $0.tint) })
        }
        return table
    }

    /// A column behind those of the keys.
    private struct Column {
        let heading: String
        var tint = Tint.plain
        var isNumeric = true
        /// Whether it says in another way how many events there are.
        var isOfCount = false
        let text: (StatsRow) -> String
    }

    private func columns(of stats: StatsTable, _ rows: [StatsRow]) -> [Column] {
        var columns = [Column(heading: "COUNT") { Quantity.count($0.count) }]
        if stats.timeColumn == nil {
            if !stats.reply.by.isEmpty {
                columns.append(
                    Column(heading: "SHARE", tint: .faint, isOfCount: true) {
                        Self.percent($0.count, of: stats.reply.events)
                    })
            }
            if let rate = Rate(largest: rows.compactMap(\.perSecond).max()) {
                columns.append(
                    Column(heading: rate.heading, tint: .faint, isOfCount: true) { $0.perSecond.map(rate.text) ?? "" })
            }
        }
        columns += stats.shownMeasures.compactMap { measure in
            measure.heading.map { Column(heading: $0.uppercased(), text: measure.shown) }
        }
        if rows.contains(where: { $0.trend != nil }) {
            columns.append(Column(heading: "TREND", tint: .note, isNumeric: false) { Self.sparkline($0.trend ?? []) })
        }
        if stats.timeColumn != nil, style.width != nil {
            let largest = rows.map(\.count).max() ?? 1
            columns.append(Column(heading: "", tint: .note, isNumeric: false) { Self.bar($0.count, of: largest) })
        }
        return columns
    }

    /// The numbers of all events, in ranges; nothing if the reply has none.
    private func histogram(_ reply: StatsReply) -> String {
        guard let ranges = reply.rows.first?.numbers?.histogram, style.width != nil else { return "" }
        let largest = ranges.map(\.count).max() ?? 1
        var table = TextTable(["FROM", "TO", "COUNT", ""], numeric: [0, 1, 2])
        for range in ranges {
            table.append([
                TextTable.Cell(StatsTable.short(range.from), .heading),
                TextTable.Cell(StatsTable.short(range.to), .heading), TextTable.Cell(Quantity.count(range.count)),
                TextTable.Cell(Self.bar(range.count, of: largest), .note),
            ])
        }
        return "\n" + table.rendered(style)
    }

    // MARK: parts

    private func summary(_ reply: StatsReply) -> String {
        var text = Quantity.count(reply.events, "event")
        if !reply.by.isEmpty { text += reply.groups == 1 ? ", 1 group" : ", \(Quantity.count(reply.groups)) groups" }
        if let first = reply.firstTime, let last = reply.lastTime {
            let times = [style.short(first), style.short(last)]
            text += times[0] == times[1] ? ", \(times[0])" : ", \(times[0]) to \(times[1])"
        }
        return TextBlock.wrapped(text, indent: 0, style, tint: .faint)
    }

    /// The rows; if parts of time are the only key, those between them without events, too.
    private func rows(of stats: StatsTable) -> [StatsRow] {
        let rows = stats.reply.rows
        guard stats.reply.by.count == 1, stats.timeColumn == 0, stats.reply.groups <= rows.count,
            let unit = TimeUnit(rawValue: stats.reply.by[0])
        else { return rows }
        let starts = Self.starts(of: rows, unit)
        let zone = zone(of: starts, stats)
        var filled: [StatsRow] = []
        for (index, row) in rows.enumerated() {
            if index > 0, let zone = zone ?? Self.zone(starts[index - 1], starts[index]) {
                filled += Self.empty(unit, from: starts[index - 1], to: starts[index], zone)
                    .prefix(max(0, StatsQuery.maximumTop - filled.count))
            }
            filled.append(row)
        }
        return filled
    }

    /// Returns the places of the rows before which there are parts of time without a row.
    private func gaps(in rows: [StatsRow], _ unit: TimeUnit, _ stats: StatsTable) -> Set<Int> {
        let starts = Self.starts(of: rows, unit)
        let zone = zone(of: starts, stats)
        let places = rows.indices.dropFirst().filter { place in
            guard let zone = zone ?? Self.zone(starts[place - 1]), let next = WireTime(starts[place])?.microseconds,
                let span = WireTime(starts[place - 1]).map({ unit.span(of: $0.microseconds, in: zone) })
            else { return false }
            // An unknown clock may have been changed by an hour.
            return next > span.upperBound && next - span.upperBound >= (span.upperBound - span.lowerBound) / 2
        }
        return Set(places)
    }

    private static func starts(of rows: [StatsRow], _ unit: TimeUnit) -> [String] {
        rows.map { row in row.values.first { $0.key == unit.rawValue }?.value ?? "" }
    }

    /// The zone of times; `nil` if it is not the reader's: then only the offsets in the reply are known.
    private func zone(of starts: [String], _ stats: StatsTable) -> Zone? {
        starts.allSatisfy(stats.isByReadersClock) ? style.zone : nil
    }

    /// The most parts without events between two others that are shown.
    private static let mostEmpty = 500

    /// Returns rows for the parts of time between two others. A wrong clock leaves parts for years: then there are none.
    private static func empty(_ unit: TimeUnit, from first: String, to last: String, _ zone: Zone) -> [StatsRow] {
        guard let first = WireTime(first)?.microseconds, let last = WireTime(last)?.microseconds else { return [] }
        let span = unit.span(of: first, in: zone)
        var (rows, next) = ([StatsRow](), span.upperBound)
        guard last < next + UInt64(mostEmpty + 1) * (span.upperBound - span.lowerBound) else { return [] }
        while next < last {
            let part = unit.span(of: next, in: zone)
            // By clocks that are not the same, a part may reach into the last one.
            guard part.upperBound <= last else { break }
            guard rows.count < mostEmpty else { return [] }
            let start = WireTime(microseconds: next)
            rows.append(
                StatsRow(
                    values: [.init(key: unit.rawValue, value: CivilTime.iso(next, zone, decimals: 0))], count: 0,
                    firstSeen: start, lastSeen: start))
            next = part.upperBound
        }
        return rows
    }

    /// The offset of two times, if it is the same.
    private static func zone(_ first: String, _ second: String) -> Zone? {
        first.suffix(6) == second.suffix(6) ? zone(second) : nil
    }

    /// The zone at the end of a time: `+09:00`.
    private static func zone(_ time: String) -> Zone? {
        let parts = time.suffix(5).split(separator: ":").compactMap { Int64($0) }
        guard parts.count == 2, let sign = time.dropLast(5).last, sign == "+" || sign == "-" else { return nil }
        let seconds = parts[0] * 3600 + parts[1] * 60
        return .fixed(seconds: sign == "-" ? -seconds : seconds)
    }

    private static func percent(_ part: Int64, of whole: Int64) -> String {
        let tenths = whole > 0 ? Int((Double(part) * 1000 / Double(whole)).rounded()) : 0
        if tenths == 0, part > 0 { return "<0.1%" }
        return "\(Quantity.tenths(tenths))%"
    }

    private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// One character for each number; a space for none.
    static func sparkline(_ numbers: [Int64]) -> String {
        guard let largest = numbers.max(), largest > 0 else { return "" }
        return String(
            numbers.map { number in
                number == 0 ? " " : levels[min(7, Int(Double(number) * 8 / Double(largest)))]
            })
    }

    private static let parts: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

    private static func bar(_ count: Int64, of largest: Int64) -> String {
        guard count > 0, largest > 0 else { return "" }
        let eighths = max(1, Int((Double(count) * Double(barWidth * 8) / Double(largest)).rounded()))
        let rest = eighths % 8
        return String(repeating: "█", count: eighths / 8) + (rest > 0 ? String(parts[rest - 1]) : "")
    }

    /// How many events there are in a time that makes numbers readable.
    private struct Rate {
        let heading: String
        private let seconds: Double

        /// - Parameter largest: the most events a second; `nil` if all events are at one time.
        init?(largest: Double?) {
            guard let largest else { return nil }
            let all: [(String, Double)] = [
                ("PER SECOND", 1), ("PER MINUTE", 60), ("PER HOUR", 3600), ("PER DAY", 86_400),
            ]
            (heading, seconds) = all.first { largest * $0.1 >= 1 } ?? all[3]
        }

        func text(_ perSecond: Double) -> String {
            let rate = perSecond * seconds
            if rate > 0, rate < 0.01 { return "<0.01" }
            if rate >= 100 { return Quantity.count(Int64(rate.rounded())) }
            let hundredths = Int((rate * 100).rounded())
            let rest = hundredths % 100
            return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
        }
    }
}
