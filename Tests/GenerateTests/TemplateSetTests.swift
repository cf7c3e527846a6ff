import Definitions
import Foundation
import Generate
import Model
import Testing

struct TemplateSetTests {
    private func refusal(_ text: String) -> String? {
        do {
            let templates = try TemplateSet(name: "mine", templates: ["mine": text])
            _ = try Generator(templates).files(for: try SampleDictionary.sample.load())
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (
            "// {{header}}",
            "mine: no template says what it makes: begin it with a line such as {{! output: {category}.kt }}"
        ),
        (
            "{{! output: a.kt }}\n\n{{#category}}\n",
            "mine:3: the section `{{#category}}` is not closed: write {{/category}}"
        ),
        (
            "{{! output: a.kt }}\n{{^last()}}{{#a}}\n{{/a}}\n",
            "mine:2: the section `{{^last()}}` is not closed: write {{/last()}}"
        ),
        ("{{! output: a.kt }}\n{{=<% %>=}}<%#a%>", "mine:2: a section is not closed: `"),
        ("{{! output: a.kt }}\n{{#category}}{{/event}}", "mine:2: the section is closed by another name"),
        ("{{! output: a.kt }}\n{{category", "mine:2: this tag is not closed"),
        ("{{! output: ../a.kt }}", "mine: output `../a.kt`: write a path within the folder"),
        ("{{! output: /a.kt }}", "mine: output `/a.kt`: write a path within the folder"),
        ("{{! output: {category}/{event} }}", "mine: output `{category}/{event}`: write a file name with an ending"),
        ("{{! output: {categry}.kt }}", "mine: output `{categry}.kt`: there is no `{categry}`"),
        ("{{! output: a.kt }}{{! types: bigit=Long }}", "mine: `bigit=Long` is not a type"),
        ("{{! output: a.kt }}{{! dialect: c }}", "mine: there is no dialect `c`"),
        ("{{! output: a.kt }}{{! reserved things: a }}", "mine: `reserved things`: names are reserved in one of"),
        ("{{! output: a.kt }}no header", "mine: begin what it makes with a comment of `{{header}}` in the first line"),
        ("{{! output: a.kt }}\nfirst\n{{header}}", "mine: begin what it makes with a comment of `{{header}}`"),
    ])
    func `a template that is wrong says where and what`(text: String, message: String) {
        #expect(refusal(text)?.hasPrefix(message) == true, "\(refusal(text) ?? "nothing")")
    }

    @Test func `templates include each other, and nothing is escaped as in HTML`() throws {
        let templates = try TemplateSet(
            name: "mine",
            templates: [
                "list": """
                {{! A comment. }}
                {{! output: {event.snake}-of-{category}.txt }}
                {{header}}
                {{#event}}{{> one}}{{/event}}
                """,
                "one": "<{{name}} & {{#parameters}}{{base}}{{^last()}}, {{/last()}}{{/parameters}}>\n",
            ])
        let files = try Generator(templates).files(for: SampleDictionary.sample.load())
        #expect(files.count == 5)
        #expect(files[1].path == "select_result-of-recipe_search.txt")
        #expect(files[1].text.hasSuffix("<select_result & bigint, smallint, double>\n"))
    }

    @Test func `the forms of a name are an enumeration's own`() throws {
        let text = "## tap\n\nText.\n\n- sort_by: !string\n    - values: name\n"
        let dictionary = try DictionaryParser.parse(
            [DefinitionFile(name: "shop.md", bytes: Array(text.utf8))], options: DictionaryOptions(name: "x", path: "x")
        ).dictionary
        let template = """
            {{! output: {category}.txt }}
            {{header}}
            {{#category}}{{#enumerations}}{{name}} {{literal}} {{shown}} {{anchor}}{{/enumerations}}{{/category}}
            """
        let templates = try TemplateSet(name: "mine", templates: ["mine": template])
        let file = try #require(try Generator(templates).files(for: dictionary).first)
        #expect(file.text.hasSuffix("\nsort_by \"sort_by\" sort_by sort_by"), "\(file.text)")
    }

    @Test func `a template has the columns of a table`() throws {
        let page = try String(contentsOf: Folders.project.appending(path: "docs/generate.md"), encoding: .utf8)
        let template = try #require(page.components(separatedBy: "```\n").first { $0.contains("CREATE TABLE") })
        let templates = try TemplateSet(name: "sql", templates: ["sql": template])
        let files = try Generator(templates).files(for: SampleDictionary.nested.load())
        #expect(files.map(\.path) == ["order.sql", "screen.sql"])
        let text = try #require(files.first).text
        #expect(text.contains("CREATE TABLE order_placed (\n    gloss_id bigint PRIMARY KEY,\n"), "\(text)")
        for line in [
            "    device_model text,\n", "    device_screen_width integer,\n", "    device_tags text,\n",
            "    context text,\n", "    order_id bigint,\n", "    address text,\n",
        ] {
            #expect(text.contains(line), "\(line) is not in \(text)")
        }
    }

    @Test func `tables have names that differ without regard to upper and lower case`() throws {
        let events = ["order": ["some", "Some", "a_b"], "order_a": ["b"], "sqlite": ["stat1"]]
        let files = events.map { name, events in
            DefinitionFile(name: "\(name).md", bytes: Array(events.map { "## \($0)\n\nText.\n\n" }.joined().utf8))
        }.sorted { $0.name < $1.name }
        let (dictionary, problems) = DictionaryParser.read(files, options: DictionaryOptions(name: "x", path: "x"))
        try #require(!problems.hasErrors, "\(problems)")
        let template = "{{! output: all.txt }}\n{{header}}\n{{#events}}{{table}} {{/events}}\n"
        let templates = try TemplateSet(name: "sql", templates: ["sql": template])
        let text = try #require(try Generator(templates).files(for: dictionary).first).text
        #expect(text.hasSuffix("order_some order_Some_2 order_a_b order_a_b_2 _sqlite_stat1 \n"), "\(text)")
    }
}
