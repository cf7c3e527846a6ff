/// What the API's documentation says of the layout of payloads, in each reply that has it.
enum LayoutText {
    static let key = """
        Where events have their category and name, or only the name: a member of the payload, a path such as \
        context.event, or a journal field such as journal.EVENT_NAME
        """
    static let exampleKey = ["event_category", "event_name"]
    static let parametersAt =
        "The member of payloads with the parameters of the event; absent if they are in the payload itself"
}
