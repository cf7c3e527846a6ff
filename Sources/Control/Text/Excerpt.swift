/// As much of a text as has room, around what matters in it.
struct Excerpt {
    let characters: [Character]
    /// What is shown: places in `characters`, and `nil` for `…`, which stands for those left out.
    private(set) var shown: [Int?]
    /// Of the characters before each.
    private let columns: [Int]

    /// - Parameters:
    ///   - room: columns.
    ///   - parts: what must be seen, the more important first; those that have no room are left out.
    init(_ characters: [Character], room: Int, around parts: [Range<Int>]) {
        self.characters = characters
        var columns = [0]
        for character in characters { columns.append(columns[columns.count - 1] + DisplayWidth.columns(character)) }
        self.columns = columns
        shown = Array(characters.indices)
        guard columns[characters.count] > room else { return }
        var parts = parts.isEmpty ? [0..<0] : parts
        while parts.count > 1, width(of: windows(parts, context: 0)) > room { parts.removeLast() }
        // As much around each part as there is room for.
        var context = 0
        while width(of: windows(parts, context: context + 1)) <= room { context += 1 }
        var end = 0
        shown = []
        for window in windows(parts, context: context) {
            if window.lowerBound > end { shown.append(nil) }
            shown += window.map { $0 }
            end = window.upperBound
        }
        if end < characters.count { shown.append(nil) }
    }

    /// Each part with so many characters on both sides, in order; those that meet are one.
    private func windows(_ parts: [Range<Int>], context: Int) -> [Range<Int>] {
        var windows: [Range<Int>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let window = max(0, part.lowerBound - context)..<min(characters.count, part.upperBound + context)
            // One character left out needs as much room as `…`.
            if let last = windows.last, window.lowerBound <= last.upperBound + 1 {
                windows[windows.count - 1] = last.lowerBound..<max(last.upperBound, window.upperBound)
            } else {
                windows.append(window)
            }
        }
        return windows
    }

    private func width(of windows: [Range<Int>]) -> Int {
        var width = 0
        var end = 0
        for window in windows {
            width += columns[window.upperBound] - columns[window.lowerBound] + (window.lowerBound > end ? 1 : 0)
            end = window.upperBound
        }
        return width + (end < characters.count ? 1 : 0)
    }
}
