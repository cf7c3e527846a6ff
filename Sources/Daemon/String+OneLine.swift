import Model

extension String {
    /// The text as a single line that steers no terminal: it may repeat what files, their names and senders say.
    var oneLine: String { SafeText.neutralisedLine(self) }
}
