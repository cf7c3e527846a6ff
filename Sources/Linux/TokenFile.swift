internal import Glibc
internal import Model

/// A secret in a file, such as a bearer token, as systemd's `LoadCredential=` provides it.
package enum TokenFile {
    /// Why there is no usable token. It never contains any part of it.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private static let maximumBytes = 16 * 1024

    /// Reads the token without white space around it, such as the line break that editors add.
    /// - Parameter what: what the token is, for messages.
    /// - Throws: `Failure` when there is no usable token.
    package static func read(_ path: String, as what: String = "token") throws(Failure) -> String {
        let bytes = try contents(of: path, what)
        guard bytes.count <= maximumBytes else {
            throw Failure(description: "the \(what) file \(path) has more than \(maximumBytes >> 10) KiB")
        }
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let trimmed = bytes.reversed().drop(while: isSpace).reversed().drop(while: isSpace)
        guard !trimmed.isEmpty else { throw Failure(description: "the \(what) file \(path) is empty") }
        // The characters that RFC 6750 allows are among the visible ASCII characters.
        guard trimmed.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Failure(description: "the \(what) file \(path) holds characters that no \(what) has")
        }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// What others than root and its users could do with the file, though it is used; `nil` if nothing, or if it cannot be
    /// read. Groups may read it, as those of credentials and of mounted secrets do.
    /// - Parameter users: who may own it beside root.
    package static func exposure(of path: String, users: [UInt32]) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, refusal(status) == nil else { return nil }
        var others: [String] = []
        let owner = status.st_uid
        if owner != 0, !users.contains(owner) { others.append("user \(owner), who owns it, may change it") }
        if status.st_mode & S_IWGRP != 0 { others.append("its group may change it") }
        if status.st_mode & S_IROTH != 0 { others.append("everybody may read it") }
        return others.isEmpty ? nil : others.joined(separator: ", and ")
    }

    /// Why a file is not used, whatever is in it. One that everybody may write to would let everybody choose what is sent, and
    /// of an address, where. To be readable for everybody is less: the secrets of Kubernetes are, in a file system of their own.
    private static func refusal(_ status: stat) -> String? {
        guard status.st_mode & S_IFMT == S_IFREG else { return "is not a regular file" }
        return status.st_mode & S_IWOTH == 0 ? nil : "may be changed by everybody: run chmod o-w, and write it again"
    }

    /// Reads at most one byte more than a token may have.
    private static func contents(of path: String, _ what: String) throws(Failure) -> [UInt8] {
        // Opening a pipe that somebody put there must not block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure(path, what) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, what) }
        if let refusal = refusal(status) { throw Failure(description: "the \(what) file \(path) \(refusal)") }
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            var chunk = [UInt8](repeating: 0, count: maximumBytes + 1 - bytes.count)
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, what) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    private static func failure(_ path: String, _ what: String) -> Failure {
        Failure(description: "the \(what) file \(path) cannot be read: \(errnoText(errno))")
    }
}
