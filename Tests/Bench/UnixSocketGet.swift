import Foundation
import Glibc

/// One GET over a Unix socket, without starting a program for it: asking must not weigh on what is being measured.
/// - Returns: the reply's body; `nil` when there is no answer.
func get(_ path: String, socket: String) -> Data? {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(socket.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard connected == 0,
        (try? file.write(contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n".utf8)))
            != nil,
        let reply = try? file.readToEnd(), let end = reply.range(of: Data("\r\n\r\n".utf8))
    else { return nil }
    return reply[end.upperBound...]
}
