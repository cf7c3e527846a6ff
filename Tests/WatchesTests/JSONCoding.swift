import Foundation

enum JSONCoding {
    static func encode(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }
}
