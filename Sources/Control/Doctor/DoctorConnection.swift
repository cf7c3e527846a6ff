import FoundationEssentials
import Glibc
import Model

/// Finds out whether a host can be reached, without sending anything.
enum DoctorConnection {
    /// In milliseconds.
    private static let timeout: Int32 = 2000

    /// - Returns: `nil` if it can.
    static func failure(to url: String) -> String? {
        guard let parsed = URL(string: url), let host = parsed.host() else { return "it is no address" }
        let port = parsed.port ?? (parsed.scheme == "http" ? 80 : 443)
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0 else { return String(cString: gai_strerror(code)) }
        defer { freeaddrinfo(found) }
        var (next, reason) = (found, "no address")
        while let address = next {
            guard let failure = failure(to: address.pointee) else { return nil }
            reason = failure
            next = address.pointee.ai_next
        }
        return reason
    }

    private static func failure(to address: addrinfo) -> String? {
        let descriptor = socket(address.ai_family, address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return errnoText(errno) }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return errnoText(errno) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, timeout) > 0 else { return "no answer within 2 s" }
        var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == 0 ? nil : errnoText(error)
    }
}
