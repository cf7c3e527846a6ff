import JSON
import Model

/// The members of one payload with the hashes of their keys. The memory is reused for the next payload.
struct PayloadMembers: Sendable {
    private(set) var members: [JSONMember] = []
    /// The hashes of the unescaped keys, in the order of `members`.
    private(set) var hashes: [UInt64] = []
    /// The indices of members whose key occurs again later; empty for almost every payload.
    private(set) var superseded: Set<Int> = []
    /// The indices of the members that count instead, in order.
    private(set) var repeated: [Int] = []

    /// The number of members above which equal keys are found by sorting.
    private static let fewMembers = 24
    /// The number of members above which the memory is released afterwards.
    private static let keptCapacity = 1024

    /// - Parameter range: the object in the payload; `nil` for the payload itself.
    mutating func scan(
        _ payload: UnsafeRawBufferPointer, in range: Range<Int>? = nil, limits: JSONLimits
    ) -> JSONError? {
        if members.capacity > Self.keptCapacity { members = [] }
        if hashes.capacity > Self.keptCapacity { hashes = [] }
        if !superseded.isEmpty { (superseded, repeated) = ([], []) }
        hashes.removeAll(keepingCapacity: true)
        if let error = JSONScanner.scanObject(payload, in: range, limits: limits, into: &members) {
            members.removeAll(keepingCapacity: true)
            return error
        }
        for member in members {
            hashes.append(Self.withKey(of: member, in: payload, KeyHash.of))
        }
        if mayRepeat { findRepeated(in: payload) }
        return nil
    }

    /// Whether two hashes are equal, so that a key may repeat.
    private var mayRepeat: Bool {
        if hashes.count > Self.fewMembers { return true }
        return hashes.withUnsafeBufferPointer { hashes in
            for one in hashes.indices.dropFirst() {
                for other in 0..<one where hashes[one] == hashes[other] { return true }
            }
            return false
        }
    }

    private mutating func findRepeated(in payload: UnsafeRawBufferPointer) {
        let order = hashes.indices.sorted { (hashes[$0], $0) < (hashes[$1], $1) }
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, hashes[order[end]] == hashes[order[start]] { end += 1 }
            if end - start > 1 { supersede(order[start..<end], in: payload) }
            start = end
        }
        repeated.sort()
    }

    /// Finds equal keys among members with the same hash, in their order.
    private mutating func supersede(_ candidates: ArraySlice<Int>, in payload: UnsafeRawBufferPointer) {
        var last: [[UInt8]: (index: Int, isRepeated: Bool)] = [:]
        for index in candidates {
            let key = Self.withKey(of: members[index], in: payload) { Array($0) }
            if let earlier = last[key] { superseded.insert(earlier.index) }
            last[key] = (index, last[key] != nil)
        }
        repeated += last.values.filter(\.isRepeated).map(\.index)
    }

    /// Returns the last member that has this key.
    @inline(__always)
    func member(_ key: PayloadKey, in payload: UnsafeRawBufferPointer) -> JSONMember? {
        for index in hashes.indices.reversed() where hashes[index] == key.hash {
            if Self.withKey(of: members[index], in: payload, key.equals) { return members[index] }
        }
        return nil
    }

    /// Returns the keys of the members whose value `isWanted` accepts.
    func names(in payload: UnsafeRawBufferPointer, where isWanted: (UnsafeRawBufferPointer) -> Bool) -> Set<ExactString>
    {
        var names: Set<ExactString> = []
        for member in members where isWanted(UnsafeRawBufferPointer(rebasing: payload[member.value])) {
            names.insert(FindingsList.name(of: member, in: payload))
        }
        return names
    }

    /// Calls `body` with a member's unescaped key.
    @inline(__always)
    static func withKey<Result>(
        of member: JSONMember, in payload: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let key = UnsafeRawBufferPointer(rebasing: payload[member.key])
        return member.keyHasEscapes ? JSONScanner.unescape(key).withUnsafeBytes(body) : body(key)
    }
}

/// A key that is searched in every payload.
struct PayloadKey: Sendable {
    let bytes: [UInt8]
    let hash: UInt64

    init(_ key: String) {
        bytes = Array(key.utf8)
        hash = bytes.withUnsafeBytes(KeyHash.of)
    }

    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool { bytes.withUnsafeBytes { $0.equals(other) } }
}
