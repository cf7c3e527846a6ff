import Model
import Testing

@testable import Settings

struct ChecklistTests {
    private static let yaml = """
        checklist: recipe-release
        description: 登録の流れ
        predicate: app_version >= 25.4
        violating: refuse
        items:
          - recipe/show
          - {event: recipe/tap, name: タップ, predicate: payload.position == 0, min: 1, max: 3}
          - {event: debug/crash, never: true}
        orders:
          - [recipe/show, タップ]
          - {steps: [recipe/show, recipe/done], within: 5s}
        funnels:
          - {name: 登録, steps: [recipe/show, タップ, recipe/done], within: 10m, min: 2}
        """
    private static let markdown = """
        # recipe-release

        登録の流れ

        - predicate: `app_version >= 25.4`
        - violating: refuse

        ## Events
        - [ ] recipe/show
        - [x] recipe/tap `payload.position == 0` (1 to 3): タップ
        - [ ] debug/crash (never)

        ## Notes
        - a line for people: not read
        ```
        - [ ] no/item
        ```

        ## Order
        1. recipe/show
        2. タップ

        ## Order within 5 s
        - within: 5s
        1. recipe/show
        2. `recipe/done`

        ## Funnel 登録
        - within: 10m
        - min: 2
        1. recipe/show
        2. タップ
        3. recipe/done
        """

    @Test func `a byte order mark is not part of the text`() throws {
        let plain = try Checklist(Self.markdown, .markdown, file: "a.md")
        #expect(try Checklist("\u{FEFF}" + Self.markdown, .markdown, file: "a.md") == plain)
        #expect(
            try Checklist("\u{FEFF}" + Self.yaml, .yaml, file: "a.yaml") == Checklist(Self.yaml, .yaml, file: "a.yaml"))
        let settings = try Settings(yaml: "\u{FEFF}privacy: reveal\n", file: "gloss.yaml", environment: [:])
        #expect(settings.privacy == .reveal)
        let alerts = "\u{FEFF}alerts:\n- {name: a, predicate: level >= error, when: first}\n"
        #expect(try AlertRule.rules(yaml: alerts, file: "a.yaml", predicates: [:]).map(\.line) == [2])
    }

    @Test func `anchors and aliases are refused, since they explode or nest without end`() throws {
        var wide = "a: &a0 [x]\n"
        for level in 1...12 {
            let parts = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            wide += "a\(level): &a\(level) [\(parts)]\n"
        }
        func nested(_ text: String) -> String {
            String(repeating: "[", count: 980) + text + String(repeating: "]", count: 980)
        }
        let deep = (1...7).map { "&a\($0) \(nested("*a\($0 - 1)"))" }.joined(separator: ", ")
        let texts = [
            "items: &a [a/b, c/d]\norders: [*a]\n", wide + "? *a12\n: 1\n",
            "description: [&a0 \(nested("1")), \(deep)]\nitems: [{? *a7 : 1}]\n",
            // Where a tag would go on to the end of the alias.
            "items: [{&a:x, &b:*a }]\n",
        ]
        for text in texts {
            for space in ["", "\u{85}", "\u{2028}"] {
                let marked = text.replacing("*", with: "\(space)*")
                let error = #expect(throws: SettingsError.self) { try Checklist(marked, .yaml, file: "a.yaml") }
                #expect(error?.description.contains("anchors (&name) and aliases (*name) are not read here") == true)
            }
        }
    }

    @Test func `marks of anchors and aliases within texts are none`() throws {
        let globs = (0..<20).map { "\n- {event: a/b, predicate: 'event like *\($0)'}" }.joined()
        let texts = try Checklist("description: R&D && Ops\nitems: \(globs)", .yaml, file: "a.yaml")
        #expect(texts.items.count == 20)
    }

    @Test(arguments: [(yaml, ChecklistFormat.yaml), (markdown, .markdown)])
    func `both forms say the same`(text: String, format: ChecklistFormat) throws {
        let list = try Checklist(text, format, file: "lists/other.yaml")
        #expect(list.name == "recipe-release" && list.description == "登録の流れ")
        #expect(list.predicate == "app_version >= 25.4" && list.whenViolating == .refuse)
        #expect(
            list.items == [
                .init(name: "recipe/show", event: EventKey(category: "recipe", name: "show")),
                .init(
                    name: "タップ", event: EventKey(category: "recipe", name: "tap"), predicate: "payload.position == 0",
                    maximum: 3),
                .init(
                    name: "debug/crash", event: EventKey(category: "debug", name: "crash"), minimum: 0, maximum: 0),
                .init(name: "recipe/done", event: EventKey(category: "recipe", name: "done")),
            ])
        #expect(list.orders == [.init(steps: [0, 1]), .init(steps: [0, 3], within: .seconds(5))])
        #expect(
            list.funnels == [.init(name: "登録", steps: [0, 1, 3], by: "user", within: .seconds(600), minimum: 2)])
    }

    @Test(arguments: [
        ("items: [a/b]\nfunnels:\n- steps: [a/b, c/d]\n- {name: x, steps: [a/b, c/d]}\n- steps: [a/b, c/d]", .yaml),
        (
            "- [ ] a/b\n## Funnel\n1. a/b\n2. c/d\n## Funnel x\n1. a/b\n2. c/d\n## Funnel\n1. a/b\n2. c/d",
            ChecklistFormat.markdown
        ),
    ])
    func `a funnel without a name has its number`(text: String, format: ChecklistFormat) throws {
        let list = try Checklist(text, format, file: "f")
        #expect(list.funnels.map(\.name) == ["funnel 1", "x", "funnel 3"])
    }

    @Test func `a list without a name has that of its file`() throws {
        #expect(try Checklist("items: [a/b]", .yaml, file: "checklists/release-25.4.yaml").name == "release-25.4")
        #expect(try Checklist("- [ ] a/b", .markdown, file: "release.md").name == "release")
    }

    @Test(arguments: [
        ("items: []", "the list has no items"),
        ("checklist: a/b\nitems: [a/b]", "f:1: error: the name has a /: write 1 to 100 bytes without / and"),
        ("checklist: \"a\\x1b\"\nitems: [a/b]", "f:1: error: the name has a control character: "),
        ("checklist: ''\nitems: [a/b]", "f:1: error: the name is empty: "),
        ("checklist: 5.2\nitems: [a/b]", "the list.checklist must be text: numbers, and words such as true and no, "),
        (
            "items:\n- {event: a/b, name: '404'}\norders:\n- [404, c/d]",
            "f:4:4: error: a step has to be an event, or the name of an item: numbers, and words such as true and no, "
        ),
        ("items: [a/b]\nfunnels:\n- {steps: [a/b, yes]}", "f:3:17: error: a step has to be an event, or the name of "),
        ("items: [a]", "f:1: error: a is not the key of an event: write CATEGORY/NAME"),
        ("items: [a/b, a/b]", "f:1: error: there are two items a/b: give one of them another name"),
        ("items:\n- a/b\n- {event: c/d, name: ''}", "f:3: error: the name of an item is empty: write one, or leave it"),
        ("item: [a/b]", #"unknown key "item" in the list; did you mean "items"?"#),
        ("items:\n- {event: a/b, min: 3, max: 2}", "f:2: error: max is less than min, which is 3"),
        ("items:\n- {event: a/b, never: true, max: 2}", "items[0].never must be left out where min or max is set"),
        ("items:\n- {event: a/b, predicate: 'x ='}", "f:2: error: not a predicate: "),
        ("items: [a/b]\norders:\n- [a/b]", "f:3: error: write 2 to 20 steps"),
        ("items: [a/b]\norders:\n- [a/b, a/b]", "f:3: error: a step is there twice"),
        ("items:\n- {event: a/b, name: save}\norders:\n- [save, a/b]", "f:4: error: a step is there twice"),
        (
            "items:\n- {event: a/b, name: save}\norders:\n- [savo, c/d]",
            "f:4: error: no item has the name savo; did you mean save?"
        ),
        (
            "items:\n- {event: a/b, name: x}\n- {event: a/b, name: y}\norders:\n- [a/b, c/d]",
            "f:5: error: a/b may be one of 2 items: write the name of one"
        ),
        (
            "items:\n- {event: a/b, never: true}\norders:\n- [a/b, c/d]",
            "f:4: error: a/b must not be sent, and cannot be a step"
        ),
        ("items: [a/b]\nfunnels:\n- {name: '', steps: [a/b, c/d]}", "f:3: error: the name of a funnel is empty: write"),
        ("items: [a/b]\nfunnels:\n- {steps: [a/b, c/d], within: soon}", "funnels[0].within must be a duration"),
        ("items: {", "not YAML"),
    ])
    func `what is wrong in YAML is said with its line`(text: String, message: String) {
        let error = #expect(throws: SettingsError.self) { try Checklist(text, .yaml, file: "f") }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("- [] a/b", "f:1: error: write `- [ ] CATEGORY/NAME`"),
        ("- [ ] ", "f:1: error: a task without an event"),
        ("- [ ] a/b (often)", "f:1: error: (often): write (never), (2), (1 to 3)"),
        ("- [ ] a/b save", "f:1: error: `save` is not understood: a name has a colon before it"),
        ("- violating: maybe\n- [ ] a/b", "f:1: error: violating has to be warn or refuse"),
        ("- filter: x\n- [ ] a/b", "f:1: error: unknown key filter: there are predicate, violating"),
        ("- [ ] a/b\n## Order\n- until: 3s\n1. a/b\n2. c/d", "f:3: error: unknown key until: there are within"),
        ("# a\n- Violating: refuse\n- [ ] a/b", "f:2: error: write `- violating: VALUE`"),
        ("- **Predicate：** x = 1\n- [ ] a/b", "f:1: error: write `- predicate: VALUE`"),
        ("- predicate: x = 1\n- predicate: y = 1\n- [ ] a/b", "f:2: error: written more than once: predicate"),
        (
            "- [ ] a/b\n## Order\n- within: 3s\n- within: 4s\n1. a/b\n2. c/d",
            "f:4: error: written more than once: within"
        ),
        ("- [ ] a/b\n1. [ ] c/d", "f:2: error: a task begins with `- [ ]`"),
        ("- [ ] a/b\n-[ ] c/d", "f:2: error: a task begins with `- [ ]`"),
        ("- [ ] a/b\n・ [x] c/d", "f:2: error: a task begins with `- [ ]`"),
        ("- [ ] a/b\n- ［ ］ c/d", "f:2: error: write `- [ ] CATEGORY/NAME`"),
        ("- [ ] a/b\n## order\n1. a/b\n2. c/d", "f:2: error: steps are below `## Order`"),
        ("- [ ] a/b\n## Orders\n1. a/b\n2. c/d", "f:2: error: steps are below `## Order`"),
        ("## Events\n- [ ] a/b\n### Order\n1. a/b\n2. c/d", "f:3: error: steps are below `## Order`"),
        ("# a\n- [ ] a/b\n# Funnel x\n1. a/b\n2. c/d", "f:3: error: steps are below `## Funnel`"),
        ("- [ ] a/b\n## Funnel: x\n1. a/b\n2. c/d", "f:2: error: steps are below `## Funnel`"),
        ("- [ ] a/b\n## Funnels x\n1. a/b\n2. c/d", "f:2: error: steps are below `## Funnel`"),
        ("- [ ] a/b\n```\n- [ ] c/d\n~~~\n``", "f:2: error: a code block without an end"),
        ("- [ ] a/b\n````\n- [ ] c/d\n```", "f:2: error: a code block without an end"),
        ("- [ ] a/b\n## Funnel x\n- min: many\n1. a/b\n2. c/d", "f:3: error: min has to be a number"),
    ])
    func `what is wrong in Markdown is said with its line`(text: String, message: String) {
        let error = #expect(throws: SettingsError.self) { try Checklist(text, .markdown, file: "f") }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `a list with too many items is refused once, at the first of them`() throws {
        func yaml(_ count: Int) -> String { "items:\n" + (1...count).map { "- a/\($0)\n" }.joined() }
        #expect(try Checklist(yaml(1000), .yaml, file: "f").items.count == 1000)
        let error = #expect(throws: SettingsError.self) { try Checklist(yaml(3000), .yaml, file: "f") }
        #expect(error?.description == "f:1002: error: more than 1000 items")
        let tasks = (1...1001).map { "- [ ] a/\($0)\n" }.joined()
        let steps = "## Order\n1. a/1\n2. a/new\n"
        let other = #expect(throws: SettingsError.self) { try Checklist(tasks + steps, .markdown, file: "f") }
        #expect(other?.description == "f:1001: error: more than 1000 items")
    }

    @Test func `names are suggested for the first unknown steps, if they are short`() throws {
        func suggestions(_ yaml: String) throws -> [Bool] {
            let error = try #require(throws: SettingsError.self) { try Checklist(yaml, .yaml, file: "f") }
            return error.problems.map { $0.message.contains("did you mean") }
        }
        let item = "items:\n- {event: a/b, name: %}\norders:\n"
        let orders = ["a", "b"].map { end in "- [\((1...15).map { "step\($0)\(end)" }.joined(separator: ", "))]\n" }
        let many = try suggestions(item.replacing("%", with: "step10") + orders.joined())
        #expect(many == Array(repeating: true, count: 20) + Array(repeating: false, count: 10))
        for (length, isCompared) in [(100, true), (101, false)] {
            let name = String(repeating: "s", count: length)
            #expect(try suggestions(item.replacing("%", with: "\(name)s") + "- [\(name), c/d]\n") == [isCompared])
        }
    }

    @Test func `other text is for people`() throws {
        let list = try Checklist(
            """
            # release

            Here [x] means that it was seen. The array a[0] is no task.
            - Violating events count.

            ## Orders
            - [ ] orders/show
            - open the list

            ## How to
            1. Tap the button [ ].
            2. Wait.
            - ［補足］待つ

            ［注意］本番では

            ## Funnel　登録
            1. orders/show
            2. orders/done
            """, .markdown, file: "f")
        #expect(list.items.map(\.name) == ["orders/show", "orders/done"] && list.orders.isEmpty)
        #expect(list.funnels.map(\.name) == ["登録"])
    }

    @Test(arguments: [
        "````\n```\n````\n- [ ] a/b", "```inline``` is its name\n- [ ] a/b", "~~~\n- [ ] c/d\n~~~\n- [ ] a/b",
        "```sh\n~~~\n``` no end\n- [ ] c/d\n`````\n- [ ] a/b", "~~~ `x`\n- [ ] c/d\n~~~\n- [ ] a/b",
        "- [ ] a/b\n- ```\n  - [ ] c/d\n  ```\n1. ~~~\n   - [ ] c/d\n   ~~~", "``\n- [ ] a/b\n~~",
    ])
    func `tasks in code blocks are for people, and those behind them count`(text: String) throws {
        #expect(try Checklist(text, .markdown, file: "f").items.map(\.name) == ["a/b"])
    }

    @Test func `keys are read as they are written`() throws {
        let markdown =
            "- [ ] ``a/b`c`` `level >= error`: x\n- [ ] ``` `/``  ```\n- [ ] `  a/b  `\n## Order\n1. x\n2. `` c`/d ``"
        let list = try Checklist(markdown, .markdown, file: "f")
        #expect(list.items.map(\.event.description) == ["a/b`c", "`/`` ", " a/b ", "c`/d"])
        #expect(list.items[0].predicate == "level >= error" && list.orders == [.init(steps: [0, 3])])
        for key in [
            "a/\u{80}\u{9B}\u{202E}\u{2028}\u{FEFF}", "a/\u{FFFE}\u{FFFF}\u{0}\u{1B}\u{85}", "a/b`c\"\\", "a/b\u{3164}",
            "a/b\u{E0041}\u{200D}",
        ] {
            let list = try Checklist("items: [\(YAMLText.scalar(key))]", .yaml, file: "f")
            #expect(list.items.map(\.event.description) == [key])
        }
    }

    @Test func `numbers of a task`() throws {
        let list = try Checklist(
            "- [ ] a/b (2)\n- [ ] a/c (at least 2)\n- [ ] a/d (at most 3)\n- [ ] `a/e f` (0 to 4): e", .markdown,
            file: "f")
        #expect(list.items.map(\.minimum) == [2, 2, 1, 0])
        #expect(list.items.map(\.maximum) == [2, nil, 3, 4])
        #expect(list.items[3].event.name == "e f" && list.items[3].name == "e")
    }
}
