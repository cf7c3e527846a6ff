import Dispatch
import Glibc

/// Work that is done on several processors at a time.
enum SideBySide {
    /// The daemon, on whose answers the parts depend, uses two processors itself.
    private static let mostParts = 4
    private static let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// Splits an array into parts of about the same size, one for each processor.
    /// - Parameter shortest: for fewer elements, starting another thread takes longer than they do.
    static func parts<Element>(
        _ all: [Element], ofAtLeast shortest: Int, processors: Int = processors
    ) -> [ArraySlice<Element>] {
        let count = max(1, min(processors, mostParts, all.count / shortest))
        return (0..<count).map { all[$0 * all.count / count..<($0 + 1) * all.count / count] }
    }

    /// Returns what `body` makes of the elements, in their order. The calling thread takes part.
    static func map<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) -> Value
    ) -> [Value] {
        guard elements.count > 1 else { return elements.map(body) }
        return [Value](unsafeUninitializedCapacity: elements.count) { values, count in
            // Each place of it is written once.
            nonisolated(unsafe) let values = values
            DispatchQueue.concurrentPerform(iterations: elements.count) { place in
                values.initializeElement(at: place, to: body(elements[place]))
            }
            count = elements.count
        }
    }
}
