import Crypto
package import Model

/// How the values of private parameters are kept from being stored and sent.
package struct Protection: Sendable {
    package var mode: PrivacyMode
    /// What hashes are keyed with: a secret of this machine, so that nobody elsewhere can try values out.
    package var key: [UInt8]

    /// Everything stays as it is.
    package static let reveal = Protection(mode: .reveal, key: [])

    /// What stands in a payload in place of a value that is hashed, without the quotes.
    package func hash(of value: String) -> String {
        let text = Placeholder.hash(Array(value.utf8), SymmetricKey(data: key))
        return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }

    package init(mode: PrivacyMode, key: [UInt8]) {
        self.mode = mode
        self.key = key
    }
}
