import Model
import Testing

@testable import Generate

struct NameScopeTests {
    private func names(
        _ sources: String..., kind: NameScope.Kind = .events, besides taken: Set<String> = []
    ) -> [ExactString: Names] {
        let rules = IdentifierRules(
            acronyms: ["id", "url"], reserved: ["self"], reservedIn: [.events: ["encode"]], quoted: ["class"])
        return NameScope(kind, rules).names(for: sources, besides: taken)
    }

    @Test(arguments: [
        ("tap_save_button", "tapSaveButton", "TapSaveButton", "tap_save_button", "TAP_SAVE_BUTTON"),
        ("recipe_id", "recipeID", "RecipeID", "recipe_id", "RECIPE_ID"),
        ("id", "id", "ID", "id", "ID"),
        ("HTTPServerURL", "httpServerURL", "HttpServerURL", "http_server_url", "HTTP_SERVER_URL"),
        ("already_Mixed", "alreadyMixed", "AlreadyMixed", "already_mixed", "ALREADY_MIXED"),
        ("2nd_place", "_2ndPlace", "_2ndPlace", "_2nd_place", "_2ND_PLACE"),
        ("__private", "private", "Private", "private", "PRIVATE"),
        ("class", "`class`", "Class", "`class`", "CLASS"),
        ("self", "self_", "Self", "self_", "SELF"),
        ("encode", "encode_", "Encode", "encode_", "ENCODE"),
        ("-1", "minus1", "Minus1", "minus_1", "MINUS_1"),
        ("人気順", "人気順", "人気順", "人気順", "人気順"),
        ("ｶﾅ", "uff76Uff85", "Uff76Uff85", "uff76_uff85", "UFF76_UFF85"),
        ("+ +", "u2bU20U2b", "U2bU20U2b", "u2b_u20_u2b", "U2B_U20_U2B"),
        ("", "empty", "Empty", "empty", "EMPTY"),
    ])
    func `names are written as languages write them`(
        source: String, camel: String, pascal: String, snake: String, constant: String
    ) {
        #expect(
            names(source) == [
                ExactString(source): Names(camel: camel, pascal: pascal, snake: snake, constant: constant)
            ])
    }

    @Test func `names that only differ in what is no name are spelled, and further ones change none of them`() {
        let two = names("tap-button", "tap button")
        #expect(two["tap-button"]?.camel == "tap_u2d_button" && two["tap button"]?.camel == "tap_u20_button")
        let three = names("tap button", "tap-button", "tap_button")
        #expect(three["tap_button"]?.camel == "tap_button")
        for name in ["tap-button", "tap button"] as [ExactString] { #expect(three[name] == two[name]) }
        #expect(names("tap-button", "tap_button")["tap-button"]?.camel == "tapButton")
        #expect(names("tap-button", "tapButton")["tap-button"]?.camel == "tap_u2d_button")
    }

    @Test func `names that would become the same stay as they are written, in any order`() {
        let one = names("show", "Show", "tap_x", "tapX")
        let other = names("tapX", "tap_x", "Show", "show")
        #expect(one == other)
        #expect(one.mapValues(\.camel) == ["show": "show", "Show": "Show", "tap_x": "tap_x", "tapX": "tapX"])
        #expect(names("tap_x").values.first?.camel == "tapX")
    }

    @Test func `what still is the same gets a number`() {
        #expect(names("self", "self_").mapValues(\.camel) == ["self": "self_", "self_": "self__2"])
        #expect(
            names("a b", "a-b", "a_u2d_b").mapValues(\.snake)
                == ["a b": "a_u20_b", "a-b": "a_u2d_b", "a_u2d_b": "a_u2d_b_2"])
    }

    @Test func `a name that is taken in backquotes is taken`() {
        let found = names("class", "Class", kind: .enumerations, besides: ["`class`", "Class"])
        #expect(found.mapValues(\.pascal) == ["class": "class_2", "Class": "Class_2"])
        #expect(names("class", besides: ["`class`"]).values.first?.camel == "class_2")
    }

    @Test func `sources that differ in form alone get names that differ in more`() {
        let found = names("caf\u{E9}", "cafe\u{301}", kind: .values)
        #expect(found.count == 2)
        // Python takes both forms of an identifier for one.
        #expect(Set(found.values.map { Array($0.snake.unicodeScalars.filter(\.isASCII)) }).count == 2)
    }

    @Test func `no value becomes a name with an underscore in front`() {
        #expect(names("_a_", "a", kind: .values).mapValues(\.constant) == ["_a_": "A", "a": "a"])
        #expect(names("_a_", "a", kind: .parameters).mapValues(\.constant) == ["_a_": "_a_", "a": "a"])
    }

    @Test func `what is reserved in one kind of scope is free in another`() {
        #expect(names("encode", kind: .parameters).values.first?.camel == "encode")
    }
}
