import Dispatch
import Glibc

/// Work that is done on several processors at a time.
enum SideBySide {
    /// More parts would wait for the daemon, which is a process of its own.
    private static let mostParts = 4
    private static let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Splits an array into parts of about the same size, one for each processor. None is so short that another thread would take
    /// longer to start.
    static func parts<Element>(_ all: [Element], ofAtLeast shortest: Int) -> [ArraySlice<Element>] {
        let count = max(1, min(processors, mostParts, all.count / shortest))
        return (0..<count).map { all[$0 * all.count / count..<($0 + 1) * all.count / count] }
    }

    /// Returns what `body` makes of the elements, in their order. The calling thread takes part.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) -> Result
    ) -> [Result] {
        guard elements.count > 1 else { return elements.map(body) }
        return [Result](unsafeUninitializedCapacity: elements.count) { results, count in
            // Each place of it is written once.
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: elements.count) { place in
                results.initializeElement(at: place, to: body(elements[place]))
            }
            count = elements.count
        }
    }
}
