import Model
import Testing

struct ParameterColumnTests {
    private func columns(
        _ own: [Parameter], category: [Parameter] = [], common: [Parameter] = [], at object: String? = nil
    ) throws -> [ParameterColumn] {
        let key = EventKey(category: "order", name: "placed")
        let definition = Definition(key: key, description: "", isObsolete: false, parameters: own, line: 3)
        let group = DefinitionCategory(
            name: "order", title: nil, description: "", parameters: category, definitions: [definition])
        let dictionary = EventDictionary(
            options: DictionaryOptions(name: "shop", path: "/"), version: "v", common: common, categories: [group])
        var layout = PayloadLayout.usual
        layout.parametersAt = object.map { MemberPath($0) }
        return dictionary.columns(of: definition, in: group, layout: layout)
    }

    private func text(_ columns: [ParameterColumn]) -> [String] { columns.map { "\($0.path) \($0.name)" } }

    private func parameter(_ name: String, _ type: ParameterType = .bigint) -> Parameter {
        Parameter(name: name, type: type)
    }

    private func object(_ name: ExactString, _ members: [Parameter]) -> ParameterType {
        .custom(name: name, meaning: .object(ObjectType(members: members)))
    }

    @Test func `members of objects are columns, and all else is one column`() throws {
        let os = object("OS", [parameter("name", .string(maximumBytes: 8)), parameter("order")])
        let device = object(
            "Device", [parameter("model"), parameter("os", os), parameter("tags", .array(of: .string()))])
        let columns = try columns([
            parameter("device", device), parameter("other", .custom(name: "Other", meaning: .same(as: device))),
            parameter("items", .array(of: device)), parameter("extra", .any),
            parameter("mood", .custom(name: "Mood", meaning: .values(["a"]))),
            parameter("thing", .custom(name: "Thing", meaning: nil)), parameter("nothing", object("Nothing", [])),
        ])
        #expect(
            text(columns) == [
                "device.model device_model", "device.os.name device_os_name", "device.os.order device_os_order",
                "device.tags device_tags", "other.model other_model", "other.os.name other_os_name",
                "other.os.order other_os_order", "other.tags other_tags", "items items", "extra extra", "mood mood",
                "thing thing", "nothing nothing_",
            ])
        #expect(columns[1].parameter.typeText == "!string 8")
    }

    @Test func `a common parameter has the same column in all events`() throws {
        let columns = try columns(
            [parameter("USER_ID"), parameter("total")], category: [parameter("screen")], common: [parameter("user_id")])
        #expect(text(columns) == ["user_id user_id", "screen screen", "USER_ID USER_ID_2", "total total"])
    }

    @Test func `of two parameters of one name, the one that counts has the column`() throws {
        let columns = try columns(
            [parameter("a", .string()), parameter("a")], category: [parameter("a", .boolean), parameter("b", .real)],
            common: [parameter("b"), parameter("a")])
        #expect(text(columns) == ["b b", "a a"])
        #expect(columns.map(\.parameter.type) == [.real, .string()])
    }

    @Test func `the object with the parameters is in no name, and a common parameter beside it has its own column`()
        throws
    {
        let columns = try columns(
            [parameter("total"), parameter("id"), parameter("item", object("Item", [parameter("sku")]))],
            common: [parameter("id"), parameter("context", object("Context", [parameter("ip")]))],
            at: "data.properties")
        #expect(
            text(columns) == [
                "id id", "context.ip context_ip", "data.properties.total total", "data.properties.id id_2",
                "data.properties.item.sku item_sku",
            ])
    }

    @Test func `a column may be null if the parameter or an object around it may be absent`() throws {
        let type = object("Device", [parameter("os"), Parameter(name: "model", type: .string(), isOptional: true)])
        let columns = try columns([
            parameter("a", type), Parameter(name: "b", type: type, isOptional: true),
            Parameter(name: "c", type: .bigint, isObsolete: true),
        ])
        #expect(columns.filter(\.mayBeNull).map(\.path) == ["a.model", "b.os", "b.model", "c"])
    }

    @Test func `an object that is replaced as a whole is one column`() throws {
        let place = object("Place", [parameter("street"), Parameter(name: "zip", type: .string(), privacy: .hash)])
        let columns = try columns([
            Parameter(name: "home", type: place, privacy: .private), parameter("shop", place),
        ])
        #expect(text(columns) == ["home home", "shop.street shop_street", "shop.zip shop_zip"])
    }

    @Test func `an object with too many members is one column`() throws {
        var type = object("T0", (0..<10).map { parameter("m\($0)") })
        for level in 1...30 {
            let inner = type
            type = object(ExactString("T\(level)"), (0..<10).map { parameter("m\($0)", inner) })
        }
        let small = object("Small", (0..<600).map { parameter("s\($0)") })
        let columns = try columns([
            parameter("huge", type), parameter("one", small), parameter("two", small), parameter("three"),
        ])
        #expect(columns.count == 603)
        #expect(columns.map(\.name).filter { !$0.hasPrefix("one_") } == ["huge", "two", "three"])
    }
}
