internal import JSON
internal import Model

/// The text of a violation in the store: the fault, and its arguments by name.
extension Violation {
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("parameter", parameter)
        writer.member("fault", fault.name.rawValue)
        switch fault {
        case .missing(let type, let found):
            writer.append(type: type)
            if let found { writer.append(found) }
        case .unknownParameter(let found): writer.append(found)
        case .type(let type, let found):
            writer.append(type: type)
            writer.append(found)
        case .integer(let type, let allowed, let excess):
            writer.append(type: type)
            writer.member("least", allowed.lowerBound)
            writer.member("most", allowed.upperBound)
            writer.member("excess", excess.rawValue)
        case .number(let type, let isDouble):
            writer.append(type: type)
            writer.member("double", isDouble)
        case .time(let type): writer.append(type: type)
        case .length(let maximum, let found):
            writer.member("most", maximum)
            writer.member("bytes", found)
        case .count(let maximum, let found):
            writer.member("most", maximum)
            writer.member("elements", found)
        case .value(let allowed, let hasMore, let found):
            writer.key("allowed")
            writer.beginArray()
            for value in allowed { writer.string(value.text) }
            writer.endArray()
            writer.member("more", hasMore)
            writer.append(found)
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func append(type: ExactString) {
        member("type", type.text)
    }

    fileprivate mutating func append(_ found: ValueKind) {
        member("found", found.rawValue)
    }
}

extension Violation.Fault {
    fileprivate enum Name: String {
        case missing
        case unknownParameter = "unknown-parameter"
        case type, integer, number, time, length, count, value
    }

    fileprivate var name: Name {
        switch self {
        case .missing: .missing
        case .unknownParameter: .unknownParameter
        case .type: .type
        case .integer: .integer
        case .number: .number
        case .time: .time
        case .length: .length
        case .count: .count
        case .value: .value
        }
    }

    init(_ members: FindingsText.Members) throws(JSONError) {
        let type = { () throws(JSONError) in ExactString(try members.text("type")) }
        let found = { () throws(JSONError) in try members.value("found", ValueKind.init(rawValue:)) }
        switch try members.value("fault", Name.init(rawValue:)) {
        case .missing:
            let hasFound = try members.optionalText("found") != nil
            self = .missing(type: try type(), found: hasFound ? try found() : nil)
        case .unknownParameter: self = .unknownParameter(found: try found())
        case .type: self = .type(try type(), found: try found())
        case .integer:
            let (least, most): (Int64, Int64) = (try members.integer("least"), try members.integer("most"))
            guard least <= most else { throw members.error }
            self = .integer(
                type: try type(), allowed: least...most,
                excess: try members.value("excess", Violation.Excess.init(rawValue:)))
        case .number: self = .number(type: try type(), isDouble: members.flag("double"))
        case .time: self = .time(type: try type())
        case .length: self = .length(maximum: try members.integer("most"), found: try members.integer("bytes"))
        case .count: self = .count(maximum: try members.integer("most"), found: try members.integer("elements"))
        case .value:
            self = .value(
                allowed: try members.texts("allowed"), hasMore: members.flag("more"), found: try found())
        }
    }
}
