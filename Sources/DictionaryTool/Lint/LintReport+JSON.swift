import Definitions
import JSON
import Model

extension LintReport {
    /// One object: the problems in the order of the text, and how many there are.
    func json() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("problems")
        writer.beginArray()
        for finding in findings {
            writer.beginObject()
            writer.key("file")
            writer.string(finding.path)
            writer.key("line")
            writer.integer(finding.problem.line)
            writer.key("column")
            writer.integer(finding.problem.column)
            writer.key("severity")
            writer.string(finding.problem.severity.rawValue)
            writer.key("rule")
            writer.string(finding.problem.rule.rawValue)
            writer.key("message")
            writer.string(finding.problem.message)
            writer.endObject()
        }
        writer.endArray()
        writer.key("errors")
        writer.integer(errors)
        writer.key("warnings")
        writer.integer(warnings)
        writer.key("files")
        writer.integer(fileCount)
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
