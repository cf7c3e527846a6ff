/// What the generated definitions share.
enum DefinitionText {
    /// The parameters of all events.
    static let common = """
        # common

        - user_id: !bigint?
            - The signed-in user
            - user
        - session_id: !string 36
        - platform: Platform

        """
}
