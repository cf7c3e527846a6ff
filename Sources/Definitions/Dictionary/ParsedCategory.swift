import Model

/// What one file gave.
struct ParsedCategory {
    var category: DefinitionCategory
    var problems: [DefinitionProblem]
    /// The lines of parameters that say `privacy: public`, which is not the same as saying nothing.
    var publicLines: Set<Int> = []
}
