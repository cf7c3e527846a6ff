extension LintRule {
    /// The usual severity; single problems may differ where `docs/lint.md` says so.
    package var severity: DefinitionProblem.Severity {
        switch self {
        case .ignoredFile, .tooManyProblems, .titleMismatch, .secondTitle, .emptyHeading, .underlinedHeading,
            .indentedHeading, .emptyCategory, .droppedEvent, .undescribedEvent, .ignoredEvent, .numberedList,
            .nestedParameter, .ignoredHTML, .similarName, .ignoredText, .unmarkedType, .undefinedType,
            .impliedPrivacy, .privateSearch, .parameterRequired, .privacyLoosened:
            .warning
        default: .error
        }
    }

    /// One sentence that says what is wrong.
    package var summary: String {
        switch self {
        case .unreadableFile: "A file or the folder cannot be read."
        case .notUTF8: "A file is not UTF-8 text."
        case .tooLarge: "A file is larger than 4 MiB, or the folder beyond every measure."
        case .noDefinitions: "The folder has no definition files."
        case .ignoredFile: "A file looks like definitions and is not read."
        case .duplicateFile: "Two files have the same name."
        case .tooManyProblems: "A file has more problems than are listed."
        case .titleMismatch: "The title differs from the file's name."
        case .secondTitle: "A file has a second title."
        case .emptyHeading: "A heading has no text."
        case .underlinedHeading: "The line below makes text a heading."
        case .indentedHeading: "A heading does not begin in the first column, so it is text."
        case .swallowedLine: "A heading or parameter belongs to the list or quotation directly above it."
        case .fullWidthSign: "A heading or parameter is written with full-width signs, so it is text."
        case .emptyCategory: "A file defines no event."
        case .duplicateEvent: "An event is defined twice in its category."
        case .droppedEvent: "An event has neither text nor list, so daifuku drops it."
        case .undescribedEvent: "An event has no description."
        case .ignoredEvent: "Events in common.md are ignored."
        case .listUnderText: "A list stands directly under text, so it is part of that text."
        case .secondList: "An event has a second list; only its first one is read."
        case .numberedList: "Parameters are in a numbered list, which is ignored."
        case .indentedCode: "A parameter is indented by four spaces, so it is code."
        case .outdentedItem: "A list item begins further left than the first one, so it describes that one."
        case .nestedParameter: "What looks like a parameter is indented, so it describes the one above."
        case .ignoredHTML: "HTML is ignored."
        case .invalidName: "A name has other characters than letters, digits and underscores."
        case .longName: "A name has more than 64 characters."
        case .boldName: "Two underscores in a name are bold in Markdown and get lost."
        case .obsoleteMarker: "The obsolete marker is misspelled or not in front of the name."
        case .similarName: "Two names differ in upper and lower case only."
        case .notAParameter: "A list item is no parameter."
        case .halfReadName: "Only the end of a name is read."
        case .ignoredText: "Text after a parameter's type is ignored."
        case .unknownType: "There is no such built-in type."
        case .unmarkedType: "A built-in type without its exclamation mark is a custom type."
        case .undefinedType: "The settings map custom types, but not this one."
        case .invalidLength: "A length is too large, or its type has none."
        case .duplicateParameter: "A parameter is defined twice in a list."
        case .shadowedParameter: "A parameter repeats one of its category or a common one."
        case .reservedName: "A parameter has a name that the warehouse or the settings use."
        case .typeConflict: "A parameter's name has another type or length elsewhere."
        case .misspelledAnnotation: "An annotation is misspelled, so it has no effect."
        case .misplacedAnnotation: "An annotation is not in the indented list of a parameter, so it has no effect."
        case .repeatedAnnotation: "A parameter has the same annotation twice."
        case .invalidValues: "Allowed values do not fit the type."
        case .valuesConflict: "A parameter's name has other allowed values elsewhere."
        case .privacyConflict: "A parameter's name has another privacy elsewhere."
        case .impliedPrivacy: "A parameter is private or hashed because its name is elsewhere."
        case .privateSearch: "Private values cannot be searched by, nor tell users apart."
        case .roleConflict: "A parameter cannot have this role, or has another one elsewhere."
        case .categoryRemoved: "A category with events is gone."
        case .eventRemoved: "An event is gone."
        case .parameterRemoved: "A parameter is gone."
        case .parameterRequired: "An event has a new parameter that is required."
        case .becameRequired: "A parameter was optional or obsolete and is required now."
        case .typeNarrowed: "A parameter's type allows less than before."
        case .lengthShortened: "A string may have fewer bytes than before."
        case .valuesRemoved: "A value is not allowed any more."
        case .privacyLoosened: "Values that were protected are not any more."
        }
    }
}
