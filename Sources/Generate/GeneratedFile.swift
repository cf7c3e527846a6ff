package import Model

/// One file of generated code.
package struct GeneratedFile: Sendable, Hashable {
    /// Within the folder of the output, with `/` between folders.
    @Exact package var path: String
    @Exact package var text: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
