import Model

/// The result of parsing the folder `types`.
struct ParsedTypes {
    struct File {
        var problems: ProblemList
        var sections = [FileSection()]
    }

    /// What custom types mean; what the settings say comes first.
    var meanings: [ExactString: CustomType]
    /// Sorted by name.
    var definitions: [TypeDefinition]
    var files: [File]
    /// The types that other types refer to.
    var used: Set<ExactString>
    /// The types that the files name, with and without errors.
    var declared: Set<ExactString>
    /// For each type that contains itself or is nested too deeply, the types that lead back to it or down to it.
    var cycles: [ExactString: [ExactString]]

    var problems: [DefinitionProblem] { files.flatMap(\.problems.problems) }
}
