import Model
import Mustache

/// What a template is rendered with: the whole dictionary, and the category and the event that a file is for.
struct Place: MustacheParent {
    var dictionary: DictionaryNode
    var category: CategoryNode?
    var event: EventNode?

    static func all(of scope: OutputPattern.Scope, in tree: DictionaryNode) -> [Place] {
        switch scope {
        case .dictionary: [Place(dictionary: tree)]
        case .category: tree.categories.map { Place(dictionary: tree, category: $0) }
        case .event:
            tree.categories.flatMap { category in
                category.events.map { Place(dictionary: tree, category: category, event: $0) }
            }
        }
    }

    /// The keys `dictionary`, `category` and `event`, whether the file is for one event, and the keys of the dictionary.
    func child(named name: String) -> Any? {
        switch name {
        case "dictionary": dictionary
        case "category": category
        case "event": event
        case "single_event": event != nil
        default: dictionary.child(named: name)
        }
    }
}
