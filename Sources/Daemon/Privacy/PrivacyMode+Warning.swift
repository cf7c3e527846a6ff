import Model

extension PrivacyMode {
    /// What everybody who looks at the daemon should see; `nil` when nothing is revealed.
    var warning: String? {
        switch self {
        case .protect: nil
        case .reveal: "privacy is set to reveal: values that definitions call private are stored and sent as they are"
        }
    }
}
