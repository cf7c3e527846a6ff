import Definitions
import Model
import Testing

@testable import Queries

struct LayoutAdviceTests {
    private static func dictionary(
        _ name: String, _ files: [(String, String)], layout: PayloadLayout = .usual, category: String = "*"
    ) throws -> EventDictionary {
        try DictionaryParser.parse(
            files.map { DefinitionFile(name: $0.0, bytes: Array($0.1.utf8)) },
            options: DictionaryOptions(name: name, path: "d", category: Glob(category), layout: layout)
        ).dictionary
    }

    private static let web = [
        ("order.md", "## completed\nsent as: Order Completed\n\n- total: !real\n- currency: !string 3\n"),
        ("cart.md", "## add\n\n- total: !real\n- sku: !string\n\n## remove\n\n- sku: !string\n"),
        ("list.md", "## add\n\n- item: !string\n"),
    ]

    @Test(arguments: [
        (
            #"{"event":"Order Completed","id":"x","properties":{"total":1,"currency":"JPY"}}"#,
            "dictionary web defines it: key: [event], parameters_at: properties"
        ),
        (
            #"{"schema":{"category":"cart","name":"add"},"sku":"x"}"#,
            "dictionary web defines it: key: [schema.category, schema.name]"
        ),
        // The name alone is that of two events.
        (#"{"event":"add","properties":{"sku":"x"}}"#, "perhaps key: [event], parameters_at: properties"),
        (#"{"event":"remove","sku":"x"}"#, "dictionary web defines it: key: [event]"),
        (
            #"{"a":{"b":{"event":"remove","params":{"sku":"x"}}}}"#,
            "dictionary web defines it: key: [a.b.event], parameters_at: a.b.params"
        ),
        (#"{"method":"GET","status":200}"#, "if all of them are one event: as: {event: CATEGORY/NAME}"),
        (#"{"action":"open","x":1}"#, "perhaps key: [action]"),
    ])
    func `a payload without a key is an event by these settings`(payload: String, expected: String) throws {
        let advice = LayoutAdvice([try Self.dictionary("web", Self.web)])
        #expect(advice.text(for: Array(payload.utf8), coveredBy: "web", isExplained: false) == expected)
    }

    @Test func `a dictionary that covers other events may define it`() throws {
        let layout = PayloadLayout(category: .member(MemberPath("cat")), name: .member(MemberPath("name")))
        let advice = LayoutAdvice([
            try Self.dictionary("other", [("a.md", "## b\n\nText.\n")]),
            try Self.dictionary("web", Self.web, layout: layout, category: "Web"),
        ])
        let text = advice.text(
            for: Array(#"{"cat":"cart","name":"remove","sku":"x"}"#.utf8), coveredBy: "other", isExplained: false)
        #expect(
            text == "dictionary web defines it, and covers only subsystem *, category Web: extend them, or name these "
                + "events by as: {subsystem: …, category: …}")
        let other = advice.text(for: Array(#"{"event":"Order Completed"}"#.utf8), coveredBy: "other", isExplained: true)
        #expect(other == "dictionary web defines it: key: [event], and let the dictionary cover these events")
    }

    @Test func `nothing is guessed where the fault is known, and no value is shown`() throws {
        let advice = LayoutAdvice([try Self.dictionary("web", Self.web)])
        func text(_ payload: String, _ isExplained: Bool) -> String? {
            advice.text(for: Array(payload.utf8), coveredBy: "web", isExplained: isExplained)
        }
        #expect(text(#"{"event_category":"cart","event_nmae":"undefined"}"#, true) == nil)
        let misspelt = text(#"{"event_category":"cart","event_nmae":"add"}"#, true)
        #expect(misspelt == "dictionary web defines it: key: [event_category, event_nmae]")
        #expect(text("[1]", false) == nil)
        #expect(text(#"{"event":"secret-value"}"#, false)?.contains("secret-value") == false)
    }

    /// A program could send such a payload, whose advice took minutes.
    @Test(.timeLimit(.minutes(1))) func `a payload may have the name of many definitions many times`() throws {
        let files = (0..<1_000).map { ("c\($0).md", "## show_screen\n\n- p: !string\n") }
        let advice = LayoutAdvice([try Self.dictionary("web", files)])
        func text(_ category: String) -> String? {
            let members = (0..<450).map { #","m\#($0)":"show_screen""# }.joined()
            let payload = #"{"category":"\#(category)","p":"x"\#(members)}"#
            return advice.text(for: Array(payload.utf8), coveredBy: "web", isExplained: true)
        }
        for _ in 0..<20 { #expect(text("c999") == "dictionary web defines it: key: [category, m0]") }
        #expect(text("other") == nil)
    }

    @Test func `a payload with the names of too many definitions is compared with the first ones`() throws {
        func numbers(_ prefix: String) -> [String] { (10..<60).map { "\(prefix)\($0)" } }
        // Each name in each category; only the last name has a parameter.
        let names = numbers("name").map { "## \($0)\n\n" + ($0 == "name59" ? "- p: !string\n" : "Text.\n") }
        let advice = LayoutAdvice([
            try Self.dictionary("web", numbers("c").map { ("\($0).md", names.joined(separator: "\n")) })
        ])
        func text(_ numbers: Range<Int>) -> String? {
            let members = numbers.map { #""n\#($0)":"name\#($0)","# } + (10..<60).map { #""o\#($0)":"c\#($0)","# }
            return advice.text(for: Array("{\(members.joined())\"p\":1}".utf8), coveredBy: "web", isExplained: true)
        }
        #expect(text(20..<60) == "dictionary web defines it: key: [o10, n59]")
        #expect(text(10..<60) == "dictionary web defines it: key: [o10, n10]")
    }

    @Test func `equal members are told apart by their bytes, at every start`() throws {
        let advice = LayoutAdvice([try Self.dictionary("web", Self.web)])
        func text(_ payload: String) -> String? {
            advice.text(for: Array(payload.utf8), coveredBy: "web", isExplained: true)
        }
        for _ in 0..<20 {
            #expect(text(#"{"x":"remove","y":"remove"}"#) == "dictionary web defines it: key: [x]")
            #expect(text(#"{"y":"remove","x":"Order Completed"}"#) == "dictionary web defines it: key: [x]")
            #expect(
                text(#"{"n":"remove","b":{"sku":"x"},"a":{"sku":"x"}}"#)
                    == "dictionary web defines it: key: [n], parameters_at: a")
            // By Unicode, they are equal.
            let equivalent = text("{\"\u{212B}\":\"remove\",\"A\u{30A}\":\"remove\"}")
            #expect(equivalent == "dictionary web defines it: key: [A\u{30A}]")
        }
    }
}
