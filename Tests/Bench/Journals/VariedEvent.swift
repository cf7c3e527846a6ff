/// What an event of the varied workload is, but for its text.
struct VariedEvent {
    enum Form {
        case plain, unkeyed, malformed
        case keyed(kind: Int)
    }

    /// Who sends, by name.
    struct Sender {
        let program: Int
        let host: JournalHost
        /// What it sends, which one other program sends, too.
        var group: Int { program % Self.groups }
        var subsystem: String { "com.example.team\(group % 8)" }

        static let groups = 50
    }

    static let hosts = 5
    static let kinds = 5000
    static let models = 400
    private static let categories = [
        "ActivityLog", "Search", "Orders", "Payment", "Login", "Upload", "Recommendation", "Notification", "Sync",
        "Cache",
        "Timeline", "Settings",
    ]

    let event: Int
    let sender: Sender
    let level: Int
    let form: Form
    let model: Int
    /// Whether it has a value of some kilobytes.
    let isLong: Bool
    /// For all that nobody looks for.
    private(set) var noise: EventNoise

    /// Any 2,500 events that follow each other are of 2,500 senders and levels: 100 programs on 5 hosts, at 5 levels. The
    /// step has every fifth entry of the journal on the same host.
    init(_ event: Int) {
        self.event = event
        let combination = event * 1007 % 2500
        sender = Sender(program: combination % 500 / 5, host: JournalHost(number: combination % Self.hosts))
        level = 3 + combination / 500
        noise = EventNoise(event)
        form = Self.form(of: sender, &noise)
        model = noise.number(below: Self.models)
        isLong = noise.isOne(in: 200)
    }

    private static func form(of sender: Sender, _ noise: inout EventNoise) -> Form {
        let kind = noise.number(below: kinds / Sender.groups) * Sender.groups + sender.group
        return switch noise.number(below: 1000) {
        case ..<250: .plain
        case ..<260: .unkeyed
        case ..<262: .malformed
        default: .keyed(kind: kind)
        }
    }

    var kind: Int? { if case .keyed(let kind) = form { kind } else { nil } }

    /// One in 50,000 is of a category that has nothing else.
    var category: String { event % 50_000 == 4711 ? "Checkout" : Self.categories[sender.group % Self.categories.count] }

    /// One in 100,000.
    var hasRareText: Bool { event % 100_000 == 8123 }

    /// Definitions do not know of objects within a payload: kinds that have them are not defined.
    static func isDefined(_ kind: Int) -> Bool { kind % 4 != 0 }

    static func category(of kind: Int) -> String { "screen_\(kind / 10)" }
    static func name(of kind: Int) -> String { "tap_\(kind % 10)" }
}
