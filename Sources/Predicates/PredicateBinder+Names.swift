package import Model

extension PredicateBinder {
    /// What the dictionaries in force know.
    package struct Names: Sendable {
        private let dictionaries: [EventDictionary]
        private var isAnything = false
        /// Predicates by the names that `@name` stands for.
        let predicates: [ExactString: ExactString]

        package init(_ dictionaries: [EventDictionary] = [], predicates: [ExactString: ExactString] = [:]) {
            (self.dictionaries, self.predicates) = (dictionaries, predicates)
        }

        /// As if definitions had whatever a predicate asks for, to find what is wrong with it whatever they have.
        package static func anything(predicates: [ExactString: ExactString] = [:]) -> Names {
            var names = Names(predicates: predicates)
            names.isAnything = true
            return names
        }

        /// Where payloads have the parameters with a name; empty if no definition has one.
        func paths(of name: String) -> Set<ExactString> {
            dictionaries.reduce(into: isAnything ? [ExactString(name)] : []) {
                $0.formUnion($1.paths(ofParameter: ExactString(name)))
            }
        }

        /// Where payloads have the parameters with a name, which may be in no definition.
        package func paths(ofParameter name: String) -> Set<ExactString> {
            let known = paths(of: name)
            return known.isEmpty ? [ExactString(name)] : known
        }

        /// Where payloads have the parameters with a role: names, or paths such as `device.id`.
        package func paths(of role: ParameterRole) -> Set<ExactString> {
            dictionaries.reduce(into: isAnything ? [ExactString(role.rawValue)] : []) {
                $0.formUnion($1.paths(of: role))
            }
        }

        /// The names of parameters, and of what is in their objects: `device`, `device.os`. Some are left out if there are very
        /// many.
        package var all: Set<ExactString> { dictionaries.reduce(into: []) { $0.formUnion($1.parameterNames) } }
    }
}
