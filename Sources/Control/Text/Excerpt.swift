import Model

/// An excerpt of a text around its important parts.
struct Excerpt {
    let characters: [Character]
    /// The shown characters, as indices in `characters`; `nil` is a `…` for omitted characters.
    private(set) var shown: [Int?]
    /// The columns of the characters before each one.
    private let columns: [Int]

    /// - Parameters:
    ///   - room: the available columns.
    ///   - parts: the parts to show, the most important first; those that do not fit are left out.
    init(_ characters: [Character], room: Int, around parts: [Range<Int>]) {
        self.characters = characters
        var columns = [0]
        for character in characters { columns.append(columns[columns.count - 1] + DisplayWidth.columns(character)) }
        self.columns = columns
        shown = Array(characters.indices)
        guard columns[characters.count] > room else { return }
        var parts = parts.isEmpty ? [0..<0] : parts
        while parts.count > 1, width(of: windows(parts, context: 0)) > room { parts.removeLast() }
        // Shows as much around each part as fits.
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

    /// Extends each part by a number of characters on both sides and joins those that touch.
    private func windows(_ parts: [Range<Int>], context: Int) -> [Range<Int>] {
        var windows: [Range<Int>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let window = max(0, part.lowerBound - context)..<min(characters.count, part.upperBound + context)
            // A single omitted character needs as much space as `…`.
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
