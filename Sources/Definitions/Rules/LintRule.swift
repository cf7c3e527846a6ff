/// The rules for definitions. Each problem names its rule; `docs/lint.md` describes the rules in this order.
package enum LintRule: String, Sendable, CaseIterable {
    // Files
    case unreadableFile = "unreadable-file"
    case outsideLink = "outside-link"
    case notUTF8 = "not-utf8"
    case tooLarge = "too-large"
    case noDefinitions = "no-definitions"
    case ignoredFile = "ignored-file"
    case duplicateFile = "duplicate-file"
    case tooManyProblems = "too-many-problems"

    // Headings
    case titleMismatch = "title-mismatch"
    case secondTitle = "second-title"
    case emptyHeading = "empty-heading"
    case underlinedHeading = "underlined-heading"
    case indentedHeading = "indented-heading"
    case swallowedLine = "swallowed-line"
    case fullWidthSign = "full-width-sign"

    // Events
    case emptyCategory = "empty-category"
    case duplicateEvent = "duplicate-event"
    case droppedEvent = "dropped-event"
    case undescribedEvent = "undescribed-event"
    case ignoredEvent = "ignored-event"

    // Lists
    case listUnderText = "list-under-text"
    case secondList = "second-list"
    case numberedList = "numbered-list"
    case indentedCode = "indented-code"
    case outdentedItem = "outdented-item"
    case nestedParameter = "nested-parameter"
    case ignoredHTML = "ignored-html"

    // Names
    case invalidName = "invalid-name"
    case longName = "long-name"
    case boldName = "bold-name"
    case obsoleteMarker = "obsolete-marker"
    case similarName = "similar-name"
    case sentNameConflict = "sent-name-conflict"

    // Parameters
    case notAParameter = "not-a-parameter"
    case halfReadName = "half-read-name"
    case ignoredText = "ignored-text"
    case unknownType = "unknown-type"
    case unmarkedType = "unmarked-type"
    case undefinedType = "undefined-type"
    case invalidLength = "invalid-length"
    case invalidType = "invalid-type"
    case duplicateType = "duplicate-type"
    case recursiveType = "recursive-type"
    case unusedType = "unused-type"
    case duplicateParameter = "duplicate-parameter"
    case shadowedParameter = "shadowed-parameter"
    case reservedName = "reserved-name"
    case typeConflict = "type-conflict"

    // Annotations
    case misspelledAnnotation = "misspelled-annotation"
    case misplacedAnnotation = "misplaced-annotation"
    case repeatedAnnotation = "repeated-annotation"
    case invalidValues = "invalid-values"
    case valuesConflict = "values-conflict"
    case privacyConflict = "privacy-conflict"
    case impliedPrivacy = "implied-privacy"
    case privateSearch = "private-search"
    case roleConflict = "role-conflict"

    // Comparison with another version
    case categoryRemoved = "category-removed"
    case eventRemoved = "event-removed"
    case parameterRemoved = "parameter-removed"
    case parameterRequired = "parameter-required"
    case becameRequired = "became-required"
    case typeNarrowed = "type-narrowed"
    case lengthShortened = "length-shortened"
    case valuesRemoved = "values-removed"
    case sentNameChanged = "sent-name-changed"
    case extraRefused = "extra-refused"
    case privacyLoosened = "privacy-loosened"
}
