import Foundation
import NIOSSL

/// A certificate authority and a server's certificate for 127.0.0.1, made by openssl.
struct Certificates {
    let authority: String
    let server: NIOSSLContext

    struct Failure: Error { var output: String }

    init(in folder: TemporaryFolder, host: String = "IP:127.0.0.1") throws {
        authority = folder.path("ca.pem")
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Self.openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Test CA", "-keyout", folder.path("ca.key"), "-out", authority]
                + key)
        try Self.openssl(
            ["req", "-subj", "/CN=server", "-keyout", folder.path("server.key"), "-out", folder.path("server.csr")]
                + key)
        let extensions = try folder.write("extensions", "subjectAltName=\(host)\n")
        try Self.openssl([
            "x509", "-req", "-days", "2", "-in", folder.path("server.csr"), "-CA", authority, "-CAkey",
            folder.path("ca.key"),
            "-CAcreateserial", "-extfile", extensions, "-out", folder.path("server.pem"),
        ])
        let chain = try NIOSSLCertificate.fromPEMFile(folder.path("server.pem"))
        let privateKey = try NIOSSLPrivateKey(file: folder.path("server.key"), format: .pem)
        server = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey)))
    }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let output = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(output: String(decoding: output, as: UTF8.self)) }
    }
}
