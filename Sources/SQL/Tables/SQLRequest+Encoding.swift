package import FoundationEssentials

/// The form in which one process passes a request to the other. Both have the same version.
extension SQLRequest {
    package init(encoded bytes: Data) throws { self = try JSONDecoder().decode(Self.self, from: bytes) }

    package func encoded() throws -> Data { try JSONEncoder().encode(self) }
}
