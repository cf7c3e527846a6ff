package import FoundationEssentials

/// Converts the Codable types of the API to JSON and back. Keys are in snake_case and sorted, so that equal replies
/// have equal bytes.
package enum APICoding {
    /// - Throws: `EncodingError`, for numbers that JSON does not have (infinity, NaN).
    package static func encode(_ value: some Encodable) throws -> Data { try encoder().encode(value) }

    /// Returns what encodes, for many values.
    package static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// - Throws: `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: data)
    }
}
