extension LintRule {
    /// The usual severity; single problems may differ where `docs/lint.md` says so.
    package var severity: DefinitionProblem.Severity {
        switch self {
        case .ignoredFile, .tooManyProblems, .titleMismatch, .secondTitle, .emptyHeading, .underlinedHeading,
            .indentedHeading, .emptyCategory, .droppedEvent, .undescribedEvent, .ignoredEvent, .numberedList,
            .nestedParameter, .ignoredHTML, .similarName, .ignoredText, .unmarkedType, .undefinedType, .unusedType,
            .impliedPrivacy, .privateSearch, .parameterRequired, .privacyLoosened, .duplicateEvent,
            .duplicateParameter:
            .warning
        default: .error
        }
    }

    /// One sentence that says what is wrong.
    package var summary: String {
        switch self {
        case .unreadableFile: "A file or the folder cannot be read."
        case .outsideLink: "A symbolic link leads out of the folder."
        case .notUTF8: "A file is not UTF-8 text."
        case .tooLarge: "A file is larger than 4 MiB, or the folder is too large."
        case .noDefinitions: "The folder has no definition files."
        case .ignoredFile: "A file looks like a definition file but is not read."
        case .duplicateFile: "Two files have the same name."
        case .tooManyProblems: "A file has more problems than are listed."
        case .titleMismatch: "The title differs from the file's name."
        case .secondTitle: "A file has a second title."
        case .emptyHeading: "A heading has no text."
        case .underlinedHeading: "A line of text is a heading because of the line below it."
        case .indentedHeading: "A heading does not begin in the first column, so it is text."
        case .swallowedLine: "A heading or parameter is part of the list or quotation directly above it."
        case .fullWidthSign: "A heading or parameter is written with full-width signs, so it is text, or another name."
        case .emptyCategory: "A file defines no event."
        case .duplicateEvent: "An event is defined twice in its category."
        case .droppedEvent: "An event has neither text nor a list, so daifuku drops it."
        case .undescribedEvent: "An event has no description."
        case .ignoredEvent: "Events in common.md are ignored."
        case .listUnderText: "A list is directly below text, so it is part of that text."
        case .secondList: "An event has a second list; only its first one is read."
        case .numberedList: "Parameters are in a numbered list, which is ignored."
        case .indentedCode: "A parameter is indented by four spaces, so it is code."
        case .outdentedItem: "A list item begins further left than the first item, so it describes that item."
        case .nestedParameter: "An indented list item looks like a parameter, but describes the parameter above."
        case .ignoredHTML: "HTML is ignored."
        case .invalidName: "A name has characters that cannot be seen."
        case .longName: "A name is too long."
        case .boldName: "Markdown reads double underscores in a name, or beside it, as bold text and removes them."
        case .obsoleteMarker: "The obsolete marker is misspelled or is not before the name."
        case .similarName: "Two names differ only in upper and lower case."
        case .sentNameConflict: "Two events or two categories have the same name in payloads."
        case .notAParameter: "A list item is not a parameter."
        case .halfReadName: "Only the end of a name is read."
        case .ignoredText: "Text after a parameter's type is ignored."
        case .unknownType: "There is no such built-in type."
        case .unmarkedType: "A built-in type without its exclamation mark is a custom type."
        case .undefinedType: "A custom type is defined nowhere, although others are."
        case .invalidLength: "A length is too large, or the type has no length."
        case .invalidType: "A type has no usable name, or no list that says what it is."
        case .duplicateType: "A type is defined twice."
        case .recursiveType: "A type contains itself, or types are nested too deeply."
        case .unusedType: "A type is defined and not used."
        case .duplicateParameter: "A parameter is defined twice in a list."
        case .shadowedParameter: "A parameter repeats a parameter of its category or a common parameter."
        case .reservedName: "A parameter has a name that the warehouse or the settings use."
        case .typeConflict: "A parameter with the same name has another type or length elsewhere."
        case .misspelledAnnotation: "An annotation is misspelled, so it has no effect."
        case .misplacedAnnotation: "An annotation is not in the indented list of a parameter, so it has no effect."
        case .repeatedAnnotation: "A parameter has the same annotation twice."
        case .invalidValues: "Allowed values do not fit the type."
        case .valuesConflict: "A parameter with the same name has other allowed values elsewhere."
        case .privacyConflict: "A parameter with the same name has another privacy elsewhere."
        case .impliedPrivacy: "A parameter is private or hashed because a parameter with the same name is."
        case .privateSearch: "A private value cannot identify a user or a device."
        case .roleConflict: "A parameter cannot have this role, or has another role elsewhere."
        case .categoryRemoved: "A category with events was removed."
        case .eventRemoved: "An event was removed."
        case .parameterRemoved: "A parameter was removed."
        case .parameterRequired: "An event has a new parameter that is required."
        case .becameRequired: "A parameter that was optional or obsolete is required now."
        case .typeNarrowed: "A parameter's type allows less than before."
        case .lengthShortened: "The maximum length of a string or an array is shorter than before."
        case .valuesRemoved: "A value is no longer allowed."
        case .sentNameChanged: "An event or category has another name in payloads than before."
        case .extraRefused: "Parameters without a definition are no longer allowed."
        case .privacyLoosened: "Values are less protected than before."
        }
    }
}
