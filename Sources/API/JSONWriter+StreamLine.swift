import JSON

extension JSONWriter {
    mutating func append(_ gap: GapLine) {
        beginObject()
        key("type")
        string("gap")
        key("id")
        integer(gap.id)
        key("after")
        integer(gap.after)
        key("cause")
        string(gap.cause)
        key("time")
        time(gap.time.microseconds)
        if let count = gap.count {
            key("count")
            integer(count)
        }
        key("certainty")
        string(gap.certainty)
        if let from = gap.from {
            key("from")
            string(from)
        }
        if let to = gap.to {
            key("to")
            string(to)
        }
        if let file = gap.file { append(file) }
        if let numbers = gap.numbers { append(numbers) }
        key("message")
        string(gap.message)
        endObject()
    }

    private mutating func append(_ file: GapLine.FilePart) {
        key("file")
        beginObject()
        key("id")
        string(file.id)
        key("path")
        string(file.path)
        key("from")
        integer(file.from)
        key("to")
        integer(file.to)
        endObject()
    }

    private mutating func append(_ numbers: GapLine.Numbers) {
        key("numbers")
        beginObject()
        key("first")
        integer(numbers.first)
        key("last")
        integer(numbers.last)
        endObject()
    }

    mutating func append(_ problem: Problem) {
        beginObject()
        key("type")
        string(problem.type)
        key("title")
        string(problem.title)
        key("status")
        integer(problem.status)
        if let detail = problem.detail {
            key("detail")
            string(detail)
        }
        if let parameter = problem.parameter {
            key("parameter")
            string(parameter)
        }
        endObject()
    }
}
