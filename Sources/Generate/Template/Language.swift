/// What the heads of a set of templates say of the language that they write.
struct Language {
    var dialect = Dialect.json
    /// What the language calls the types.
    var types: [BaseType: String] = [:]
    var rules = NameRules()

    func scope(_ kind: NameScope.Kind) -> NameScope { NameScope(kind, rules) }
}
