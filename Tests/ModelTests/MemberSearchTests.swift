import Model
import Testing

struct MemberSearchTests {
    private func object(_ name: ExactString, _ members: [Parameter]) -> ParameterType {
        .custom(name: name, meaning: .object(ObjectType(members: members)))
    }

    private func users(_ parameters: [Parameter]) -> Set<ExactString> {
        EventDictionary(
            options: DictionaryOptions(name: "shop", path: "/"), version: "v", common: parameters, categories: []
        ).paths(of: .user)
    }

    @Test func `roles are found in objects, also where another name stands for the type, and not in arrays`() {
        let person = object(
            "Person",
            [
                Parameter(name: "user_id", type: .bigint, role: .user),
                Parameter(name: "phone", type: .any, role: .device),
            ])
        let account = ParameterType.custom(name: "Account", meaning: .same(as: person))
        let found = users([
            Parameter(name: "owner", type: .bigint, role: .user), Parameter(name: "direct", type: person),
            Parameter(name: "account", type: account), Parameter(name: "all", type: .array(of: person)),
            Parameter(name: "order", type: object("Order", [Parameter(name: "by", type: account)])),
        ])
        #expect(found == ["owner", "direct.user_id", "account.user_id", "order.by.user_id"])
    }

    @Test func `common parameters are found in the objects around those of events, where there is nothing else`() {
        let context = object("Context", [Parameter(name: "user_id", type: .bigint, role: .user)])
        var dictionary = EventDictionary(
            options: DictionaryOptions(name: "shop", path: "/"), version: "v",
            common: [
                Parameter(name: "owner", type: .bigint, role: .user), Parameter(name: "event", type: .any, role: .user),
                Parameter(name: "inner", type: .any, role: .user), Parameter(name: "context", type: context),
            ], categories: [])
        dictionary.options.layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath("data.event")), parametersAt: MemberPath("data.inner"))
        #expect(
            dictionary.paths(of: .user) == [
                "owner", "data.owner", "event", "inner", "context.user_id", "data.context.user_id",
            ])
        #expect(dictionary.paths(ofParameter: "event") == ["event"])
        dictionary.options.layoutOfSource = ["source": .usual]
        #expect(dictionary.paths(ofParameter: "owner") == ["owner", "data.owner"])
    }

    @Test func `members of arrays are found where they are wanted`() {
        let item = object("Item", [Parameter(name: "price", type: .bigint, isObsolete: true)])
        let items = ParameterType.custom(name: "Items", meaning: .same(as: .array(of: item)))
        var search = MemberSearch(entersArrays: true, where: \.isObsolete)
        let order = Parameter(name: "order", type: .array(of: items), isObsolete: true)
        #expect(search.paths(in: order) == ["order", "order[][].price"])
    }

    @Test func `of very many members the first of the file are found, for each parameter`() {
        let many = object("Many", (0..<1000).map { Parameter(name: "m\($0)", type: .bigint, role: .user) })
        let found = users([Parameter(name: "a", type: many), Parameter(name: "b", type: many)])
        #expect(found == Set(["a", "b"].flatMap { name in (0..<100).map { ExactString("\(name).m\($0)") } }))
    }
}
