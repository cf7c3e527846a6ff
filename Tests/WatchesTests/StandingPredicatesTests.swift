import Model
import Synchronization
import TestSupport
import Testing
import Watches

struct StandingPredicatesTests {
    @Test func `what large predicates mean is kept up to a number of bytes`() throws {
        let hashed = Mutex(0)
        let meanings = StandingPredicates([try Keeping.dictionary(user: .hash)]) { value in
            hashed.withLock { $0 += 1 }
            return Sample.hash(value)
        }
        func count() throws -> Int {
            _ = try meanings.predicate("user == 42")
            return hashed.withLock { $0 }
        }
        let first = try count()
        #expect(try first > 0 && count() == first)
        let long = String(repeating: "a", count: 16_000)
        for number in 0..<300 { _ = try meanings.predicate("payload.a == \(number)\(long)") }
        #expect(try count() > first)
    }
}
