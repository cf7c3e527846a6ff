import Model

extension PayloadLayout {
    /// Returns the reason why no code can write payloads of this layout; `nil` if there is none.
    func writingFault(of dictionary: EventDictionary) -> GenerateError? {
        func isAroundKey(_ parameters: [Parameter], in object: MemberPath?) -> (Parameter, MemberPath)? {
            for parameter in parameters {
                let place = MemberPath(parameter.name, in: object)
                if let key = members.first(where: place.contains) { return (parameter, key) }
            }
            return nil
        }
        let own = dictionary.categories.lazy.flatMap { [$0.parameters] + $0.definitions.map(\.parameters) }
        guard
            let (parameter, key) = isAroundKey(dictionary.common, in: nil)
                ?? own.compactMap({ isAroundKey($0, in: parametersAt) }).first
        else { return nil }
        return GenerateError(
            .definitions,
            "`\(parameter.name)` contains `\(key)`, a part of the key: no code can write both, only json-schema is"
                + " possible")
    }
}

extension KeyPart {
    /// The name of the member that has it, if that is in the payload itself.
    var nameInPayload: String? { member.flatMap { $0.steps.count == 1 ? $0.text : nil } }
}
