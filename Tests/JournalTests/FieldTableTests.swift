@testable import Journal
import Testing

struct FieldTableTests {
    private let names = ["MESSAGE", "MESSAGE_ID", "A", "AB", "_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT", "SUBSYSTEM"]

    private func find(_ field: String) -> (index: Int, valueOffset: Int)? {
        Array(field.utf8).withUnsafeBytes { FieldTable(names).find($0) }
    }

    @Test func `each name is found, with the place of its value`() throws {
        for (index, name) in names.enumerated() {
            for value in ["", "x", "a longer value=with more"] {
                let found = try #require(find("\(name)=\(value)"))
                #expect(found.index == index)
                #expect(found.valueOffset == name.utf8.count + 1)
            }
        }
    }

    @Test func `names are added behind the others`() throws {
        var table = FieldTable(names)
        for name in ["AC=", "_SYSTEMD_SLICE=", "MESSAG="] { Array(name.utf8).withUnsafeBytes { table.add($0) } }
        #expect(table.count == names.count + 3)
        for (index, field) in zip(7..., ["AC=1", "_SYSTEMD_SLICE=system.slice", "MESSAG=x"]) {
            #expect(Array(field.utf8).withUnsafeBytes { table.find($0) }?.index == index)
        }
        #expect(Array("MESSAGE=x".utf8).withUnsafeBytes { table.find($0) }?.index == 0)
    }

    @Test func `there may be more names than a number of 16 bits counts`() {
        let table = FieldTable((0..<40_000).map { "F\($0)" })
        #expect(Array("F39999=x".utf8).withUnsafeBytes { table.find($0) }?.index == 39_999)
    }

    @Test(arguments: ["", "A", "M=", "MESSAGE", "MESSAGES=x", "MESSAG=x", "_SYSTEMD_UNIX=1", "ABC=1", "B=A="])
    func `nothing else is found`(field: String) {
        #expect(find(field) == nil)
    }

    /// A reference with a flipped bit has the place of the object before it.
    @Test func `what is known of a field is not that of a damaged reference to it`() {
        var meanings = FieldMeanings()
        let good = meanings.number(of: FieldMeaning(isDecisive: true))
        let bad = meanings.number(of: FieldMeaning())
        meanings.remember(good, file: 1, offset: 4096)
        meanings.remember(bad, file: 1, offset: 4097)
        #expect(meanings.number(file: 1, offset: 4096)?.index == good.index)
        #expect(meanings.number(file: 1, offset: 4097) == nil)
    }
}
