/// The text of an event of the varied workload.
struct VariedText {
    static let rareText = "Quittenbrot"

    private let event: VariedEvent
    private var noise: EventNoise

    static func of(_ event: VariedEvent) -> String {
        var text = VariedText(event)
        return text.message()
    }

    private init(_ event: VariedEvent) {
        self.event = event
        noise = event.noise
    }

    private mutating func message() -> String {
        switch event.form {
        case .plain: plain()
        case .unkeyed: object([("message", quoted(keyword())), ("worker", "\(noise.number(below: 16))")])
        case .malformed: #"{"event_category":"screen_1","keyword":"\#(keyword())","event_name":"#
        case .keyed(let kind): object(ordered(members(kind)))
        }
    }

    // MARK: lines

    private mutating func plain() -> String {
        var line = line(noise.number(below: 1_000_000), noise.number(below: 900))
        if event.hasRareText { line += ", \(keyword())" }
        return event.isLong ? "\(line): \(long())" : line
    }

    private mutating func line(_ number: Int, _ time: Int) -> String {
        switch noise.number(below: 5) {
        case 0: "worker \(time % 16) took job \(number) after \(time) ms"
        case 1: "GET /recipes/\(number).json 200 \(time) ms"
        case 2: "cache miss for recipe:\(number), \(keyword())"
        case 3: "user \(number) signed in from 192.0.2.\(time % 250)"
        default: "retry \(time % 5) of upload \(number): timed out after \(time) ms, \(keyword())"
        }
    }

    // MARK: objects

    private mutating func members(_ kind: Int) -> [(String, String)] {
        var members = [
            ("event_category", quoted(VariedEvent.category(of: kind))),
            ("event_name", quoted(VariedEvent.name(of: kind))),
            ("session_id", quoted("0b6ab3c0-6f8e-4c5e-9d57-\(digits(12))")),
            ("platform", quoted(["ios", "android", "web"][noise.number(below: 3)])),
        ]
        if !noise.isOne(in: 4) { members.append(("user_id", "\(1_000_000_000 + noise.number(below: 100_000))")) }
        if event.hasRareText || noise.isOne(in: 2) { members.append(("keyword", quoted(keyword()))) }
        members += VariedEvent.isDefined(kind) ? flat() : nested()
        if event.isLong { members.append(("note", quoted(long()))) }
        return members
    }

    /// One in a hundred breaks its definition.
    private mutating func flat() -> [(String, String)] {
        let recipe = "\(9_007_199_254_740_993 + noise.number(below: 1_000_000))"
        var members = [
            ("recipe_id", noise.isOne(in: 100) ? quoted(recipe) : recipe), ("position", "\(noise.number(below: 30))"),
        ]
        if noise.isOne(in: 3) {
            members.append(("elapsed", "\(noise.number(below: 100)).\(noise.number(below: 100))5"))
        }
        if noise.isOne(in: 4) { members.append(("tags", list { $0.quoted($0.word()) })) }
        if noise.isOne(in: 8) { members.append(("items", list { $0.item() })) }
        if noise.isOne(in: 50) { members.append(("page", "1")) }
        return members
    }

    private mutating func nested() -> [(String, String)] {
        let version = "\(noise.number(below: 9)).\(noise.number(below: 9))"
        let system = object([("name", quoted("os\(event.model % 4)")), ("version", quoted(version))])
        return [
            ("device", object([("model", quoted("model-\(event.model)")), ("os", system)])),
            ("screen", "[\(300 + event.model),\(noise.number(below: 2000))]"),
        ]
    }

    private mutating func item() -> String {
        object([("id", "\(noise.number(below: 10_000))"), ("count", "\(noise.number(below: 9))")])
    }

    private mutating func list(_ element: (inout VariedText) -> String) -> String {
        let elements = (0...noise.number(below: 4)).map { _ in element(&self) }
        return "[\(elements.joined(separator: ","))]"
    }

    /// In one of four orders.
    private mutating func ordered(_ members: [(String, String)]) -> [(String, String)] {
        let first = noise.number(below: 4) * members.count / 4
        return Array(members[first...] + members[..<first])
    }

    /// One in eight is spaced.
    private mutating func object(_ members: [(String, String)]) -> String {
        let space = noise.isOne(in: 8) ? " " : ""
        let texts = members.map { "\"\($0.0)\":\(space)\($0.1)" }
        return "{\(texts.joined(separator: ",\(space)"))}"
    }

    // MARK: values

    private func quoted(_ text: String) -> String { "\"\(text)\"" }

    private mutating func keyword() -> String { event.hasRareText ? Self.rareText : "\(word())の\(word())" }

    private mutating func word() -> String { Self.words[noise.number(below: Self.words.count)] }

    private mutating func digits(_ count: Int) -> String {
        let text = String(noise.next() >> 8, radix: 16)
        return String(String(repeating: "0", count: count) + text).suffix(count).description
    }

    /// 2 to 8 KB.
    private mutating func long() -> String {
        let bytes = 2000 + noise.number(below: 6000)
        var text = word()
        while text.utf8.count < bytes { text += " " + word() }
        return text
    }

    private static let words = [
        "夕食", "朝食", "おかず", "弁当", "野菜", "鶏肉", "豆腐", "味噌汁", "カレー", "パスタ", "サラダ", "ケーキ", "bread", "soup",
        "butter", "onion", "garlic", "pepper", "sugar", "flour", "tomato", "potato", "carrot", "cabbage", "noodle",
        "salmon",
        "chicken", "mushroom", "spinach", "ginger", "lemon", "vinegar", "cream", "cheese", "yogurt", "honey", "walnut",
        "sesame", "pumpkin", "eggplant", "cucumber", "lettuce", "radish", "celery", "parsley", "basil", "thyme",
        "oregano",
        "cinnamon", "vanilla", "chocolate", "almond", "raisin", "apricot", "cherry", "peach", "grape", "melon",
        "banana",
        "orange", "simmer", "boil", "fry", "bake",
    ]
}
