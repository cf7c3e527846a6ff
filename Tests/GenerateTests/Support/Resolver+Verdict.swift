import Model
import Resolve
import TestSupport

extension Resolver {
    init(_ dictionary: EventDictionary) {
        self.init(dictionaries: [dictionary], protection: .reveal)
    }

    mutating func verdict(on payload: String) -> Outcome {
        Array(payload.utf8).withUnsafeBytes { resolve($0, from: .sample()) }
    }
}
