package import Model

extension PayloadLayout {
    /// The layout with the key in two members of the payload itself.
    package init(members category: String, _ name: String) {
        self.init(category: .member(MemberPath(category)), name: .member(MemberPath(name)))
    }
}
