extension TemplateSet {
    /// The languages with built-in templates.
    package enum BuiltIn: String, Sendable, CaseIterable {
        case swift, python
        case jsonSchema = "json-schema"

        /// The templates in `Sources/Generate/Templates`; the part of a name before the first `_` is the language.
        fileprivate var files: [String: [UInt8]] {
            switch self {
            case .swift:
                [
                    "swift_category": PackageResources.swift_category_mustache,
                    "swift_enumeration": PackageResources.swift_enumeration_mustache,
                    "swift_language": PackageResources.swift_language_mustache,
                    "swift_limits": PackageResources.swift_limits_mustache,
                    "swift_notes": PackageResources.swift_notes_mustache,
                    "swift_object": PackageResources.swift_object_mustache,
                    "swift_support": PackageResources.swift_support_mustache,
                    "swift_time": PackageResources.swift_time_mustache,
                    "swift_type": PackageResources.swift_type_mustache,
                    "swift_write": PackageResources.swift_write_mustache,
                    "swift_writer": PackageResources.swift_writer_mustache,
                ]
            case .python:
                [
                    "python_call": PackageResources.python_call_mustache,
                    "python_category": PackageResources.python_category_mustache,
                    "python_check": PackageResources.python_check_mustache,
                    "python_enumeration": PackageResources.python_enumeration_mustache,
                    "python_init": PackageResources.python_init_mustache,
                    "python_language": PackageResources.python_language_mustache,
                    "python_notes": PackageResources.python_notes_mustache,
                    "python_object": PackageResources.python_object_mustache,
                    "python_support": PackageResources.python_support_mustache,
                    "python_type": PackageResources.python_type_mustache,
                    "python_write": PackageResources.python_write_mustache,
                    "python_writer": PackageResources.python_writer_mustache,
                ]
            case .jsonSchema:
                [
                    "json_about": PackageResources.json_about_mustache,
                    "json_any_event": PackageResources.json_any_event_mustache,
                    "json_date": PackageResources.json_date_mustache,
                    "json_date_pattern": PackageResources.json_date_pattern_mustache,
                    "json_date_year": PackageResources.json_date_year_mustache,
                    "json_dictionary": PackageResources.json_dictionary_mustache,
                    "json_event": PackageResources.json_event_mustache,
                    "json_integer": PackageResources.json_integer_mustache,
                    "json_members": PackageResources.json_members_mustache,
                    "json_parameter": PackageResources.json_parameter_mustache,
                    "json_payload": PackageResources.json_payload_mustache,
                    "json_place": PackageResources.json_place_mustache,
                    "json_text": PackageResources.json_text_mustache,
                    "json_time": PackageResources.json_time_mustache,
                    "json_timestamp_pattern": PackageResources.json_timestamp_pattern_mustache,
                    "json_timestamp_year": PackageResources.json_timestamp_year_mustache,
                    "json_types": PackageResources.json_types_mustache,
                    "json_value": PackageResources.json_value_mustache,
                ]
            }
        }
    }

    package init(builtIn: BuiltIn) throws(GenerateError) {
        try self.init(
            name: builtIn.rawValue, templates: builtIn.files.mapValues { String(decoding: $0, as: UTF8.self) })
    }
}
