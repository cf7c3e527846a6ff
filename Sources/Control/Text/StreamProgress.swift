/// Says how much of a long stream has been written to a file.
struct StreamProgress {
    private let line: ProgressLine?
    private let begin = ContinuousClock.now
    private var shown: ContinuousClock.Instant?
    private var bytes = 0
    private var lines = 0

    /// When it is shown first, and then again.
    private let delay: Duration
    private let interval: Duration

    init(_ console: Console, after delay: Duration = .seconds(1), every interval: Duration = .milliseconds(200)) {
        line = console.isOutputFile() ? ProgressLine(console) : nil
        (self.delay, self.interval) = (delay, interval)
    }

    mutating func note(lines: Int, bytes: Int) {
        guard let line else { return }
        self.lines += lines
        self.bytes += bytes
        let now = ContinuousClock.now
        guard now - begin >= delay, now - (shown ?? begin) >= interval else { return }
        shown = now
        let rate = Double(self.lines) / ((now - begin) / .seconds(1))
        line.show(
            "\(Quantity.count(Int64(self.lines))) lines, \(Quantity.bytes(self.bytes)), \(Quantity.count(Int64(rate))) lines/s"
        )
    }

    /// Call it before anything else is written to the errors.
    func clear() { if shown != nil { line?.clear() } }
}
