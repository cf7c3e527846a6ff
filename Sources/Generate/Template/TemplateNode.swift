import Glibc
public import Mustache
import Synchronization

/// What templates read: its values by their keys.
protocol TemplateNode: MustacheParent {
    /// Returns the value of a key; `nil` if there is no such key.
    func value(named name: String) -> Any?
}

extension TemplateNode {
    func child(named name: String) -> Any? { RenderStack.isUsedUp ? Nothing.function : value(named: name) }
}

/// What everything is when the stack is used up: a function, which ends sections and their opposites, as do its members and what
/// transforms make of it.
private struct Nothing: MustacheParent {
    static var function: MustacheLambda { MustacheLambda { _ in Nothing() } }

    func child(named name: String) -> Any? { Self.function }
}

extension MustacheLambda: @retroactive MustacheTransformable {
    public func transform(_ name: String) -> Any? { self }
}

/// The stack that rendering takes. Templates that include each other without end would use it up: before that, nothing has a value
/// any more, and their sections end.
final class RenderStack: Sendable {
    @TaskLocal private static var current: RenderStack?

    /// Where it begins; it grows to lower addresses.
    private let start = here()
    /// How much of it rendering may take: half of what a thread has, in bytes.
    private let most: UInt
    private let wasUsedUp = Atomic(false)

    private init() {
        var limit = rlimit()
        let isLimited = getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 && limit.rlim_cur < 1 << 30
        // Without a limit, threads have 2 MiB.
        most = isLimited ? UInt(limit.rlim_cur / 2) : 1 << 20
    }

    /// - Returns: `nil` if the stack was used up.
    static func watch<Value>(_ body: () -> Value) -> Value? {
        let stack = RenderStack()
        let value = $current.withValue(stack, operation: body)
        return stack.wasUsedUp.load(ordering: .relaxed) ? nil : value
    }

    fileprivate static var isUsedUp: Bool {
        guard let current else { return false }
        if current.start > here() + current.most { current.wasUsedUp.store(true, ordering: .relaxed) }
        return current.wasUsedUp.load(ordering: .relaxed)
    }

    private static func here() -> UInt {
        var here: UInt8 = 0
        return withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
    }
}
