internal import JSON
internal import Model

/// Looks into values that columns have whole: arrays, and objects in them.
enum PayloadValue {
    /// Whether an array has an element, as the text of a string or the JSON text of another value.
    static func hasElement(
        of array: UnsafeRawBufferPointer, where isWanted: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard var walk = JSONWalk(of: array, in: array.indices) else { return false }
        do throws(JSONError) {
            var hasMore = try walk.enter()
            while hasMore {
                let element = try walk.value()
                if withText(of: array, element, { text, _ in isWanted(text) }) { return true }
                hasMore = try walk.hasMore()
            }
        } catch {
            // It was an array when it was stored.
        }
        return false
    }

    /// Calls `body` with the value at the end of a way through a value.
    /// - Returns: `false` if there is none.
    static func inner(
        _ steps: [Predicate.ParameterPath.Step], of value: UnsafeRawBufferPointer,
        _ body: (_ text: UnsafeRawBufferPointer, _ isString: Bool) throws -> Bool
    ) throws -> Bool {
        guard var walk = JSONWalk(of: value, in: value.indices) else { return false }
        var found: JSONElement?
        do throws(JSONError) {
            for step in steps { guard try enter(&walk, step, value) else { return false } }
            found = try walk.value()
        } catch {
            return false
        }
        return try found.map { try withText(of: value, $0, body) } ?? false
    }

    /// Moves to the value that a step leads to.
    private static func enter(
        _ walk: inout JSONWalk, _ step: Predicate.ParameterPath.Step, _ bytes: UnsafeRawBufferPointer
    ) throws(JSONError) -> Bool {
        let first = try walk.firstByte()
        switch step {
        case .index(let index):
            guard first == UInt8(ascii: "["), try walk.enter() else { return false }
            for _ in 0..<max(0, index) {
                _ = try walk.value()
                guard try walk.hasMore() else { return false }
            }
            return true
        case .member(let name):
            guard first == UInt8(ascii: "{"), try walk.enter() else { return false }
            // Of equal names, the last one counts.
            var last: Int?
            repeat {
                let key = UnsafeRawBufferPointer(rebasing: bytes[try walk.key().range])
                let isWanted = key.withUnescaped { $0.elementsEqual(name.utf8) }
                if isWanted { last = walk.offset }
                _ = try walk.value()
            } while try walk.hasMore()
            guard let last else { return false }
            walk.offset = last
            return true
        }
    }

    /// Whether a value that is no string is not `null`, and if it is an object, has such a value in it.
    static func exists(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.first == UInt8(ascii: "{") else { return !value.elementsEqual("null".utf8) }
        var exists = false
        PayloadParameters.forEach(in: value) { _, member, isString in
            exists = exists || !isNullOrObject(member, isString: isString)
        }
        return exists
    }

    /// Whether a value is one that columns and groups do not have.
    static func isNullOrObject(_ value: UnsafeRawBufferPointer, isString: Bool) -> Bool {
        !isString && (value.first == UInt8(ascii: "{") || value.elementsEqual("null".utf8))
    }

    private static func withText<Result>(
        of bytes: UnsafeRawBufferPointer, _ found: JSONElement,
        _ body: (UnsafeRawBufferPointer, Bool) throws -> Result
    ) rethrows -> Result {
        guard case .string = found.kind else {
            return try body(UnsafeRawBufferPointer(rebasing: bytes[found.value]), false)
        }
        return try UnsafeRawBufferPointer(rebasing: bytes[found.content]).withUnescaped { try body($0, true) }
    }
}
