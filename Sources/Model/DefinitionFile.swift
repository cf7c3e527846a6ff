/// One file of a dictionary's folder, as it was read.
package struct DefinitionFile: Sendable, Hashable {
    /// Without folders, such as `recipe_detail.md`: what comes before `.md` is the event category's name.
    @Exact package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
