/// What events have for a key.
package struct KeyValue: Sendable, Hashable, Codable, DescribedObject {
    package var key: String
    package var value: String?

    package init(key: String, value: String?) { (self.key, self.value) = (key, value) }

    package static let object = ObjectDescription(
        "KeyValue", "What events have for a key",
        [
            member("key", \.key, "The key", "event"),
            member("value", \.value, "Left out for events that have none", "recipe_detail/tap_save_button"),
        ])
}
