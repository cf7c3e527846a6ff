import Foundation
import Glibc

/// A folder of one test.
struct TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "gloss-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// The folder's own path, without a slash at its end.
    var root: String { String(path("x").dropLast(2)) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    /// The path of a regular file.
    func file() throws -> String {
        try Data().write(to: url.appending(path: "file"))
        return path("file")
    }

    /// The path of a socket that was bound and then closed.
    func staleSocket() throws -> String {
        let path = path("stale")
        close(try bind(path, type: SOCK_STREAM))
        return path
    }

    /// A bound socket's descriptor.
    func bind(_ path: String, type: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EINVAL) }
        return descriptor
    }
}
