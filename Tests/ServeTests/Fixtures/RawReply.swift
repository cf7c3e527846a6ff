import Foundation

/// A response, taken apart without the help of what is being tested.
struct RawReply: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
    /// Whether the body's last chunk has come, where it has chunks.
    var isComplete = true

    /// - Parameter bytes: may end in the middle of a chunked body.
    init(_ bytes: [UInt8]) throws {
        let end = Data(bytes).range(of: Data("\r\n\r\n".utf8))
        guard let end else {
            throw RawClient.Failure(description: "no head: \(String(decoding: bytes, as: UTF8.self))")
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ")[1]) ?? 0
        headers = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        body = Array(bytes[end.upperBound...])
        if headers["transfer-encoding"] == "chunked" { dechunk() }
    }

    private mutating func dechunk() {
        var rest = body[...]
        body = []
        isComplete = false
        while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\r")) {
            guard let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16) else { return }
            if size == 0 { isComplete = true }
            let start = lineEnd + 2
            guard size > 0, start + size + 2 <= rest.endIndex else { return }
            body += rest[start..<start + size]
            rest = rest[(start + size + 2)...]
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The body as a JSON object.
    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }
}
