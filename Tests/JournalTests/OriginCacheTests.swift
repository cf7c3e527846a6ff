@testable import Journal
import Model
import Testing

struct OriginCacheTests {
    private func origin(_ name: String) -> Origin {
        Origin(
            subsystem: name, category: "", host: "", bootID: ID128(high: 1, low: 2), seqnumID: ID128(high: 3, low: 4),
            identifier: nil, unit: nil, processUID: nil, source: "")
    }

    @Test func `what was put in under the same bytes comes back, nothing else does`() {
        var cache = OriginCache()
        let one = origin("one")
        cache.insert(one, for: Array("key".utf8))
        #expect(cache.origin(for: Array("key".utf8)) === one)
        #expect(cache.origin(for: Array("kez".utf8)) == nil)
        #expect(cache.origin(for: Array("key\0".utf8)) == nil)
        #expect(cache.origin(for: []) == nil)
    }

    @Test func `any number of origins leaves the right ones or none`() {
        var cache = OriginCache()
        for number in 0..<5000 {
            let name = "\(number)" + String(repeating: "x", count: 1000)
            cache.insert(origin(name), for: Array(name.utf8))
            #expect(cache.origin(for: Array(name.utf8))?.subsystem == name)
        }
        var kept = 0
        for number in 0..<5000 {
            let name = "\(number)" + String(repeating: "x", count: 1000)
            guard let found = cache.origin(for: Array(name.utf8)) else { continue }
            #expect(found.subsystem == name)
            kept += 1
        }
        #expect(kept > 0 && kept <= 1024)
    }
}
