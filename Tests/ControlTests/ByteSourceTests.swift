import Foundation
import Glibc
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(1))) struct ByteSourceTests {
    @Test func `a pipe that does not block is waited for`() throws {
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        try #require(fcntl(reading.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        Thread.detachNewThread {
            for text in ["a\n", "b\n"] {
                Thread.sleep(forTimeInterval: 0.1)
                writing.write(Data(text.utf8))
            }
            try? writing.close()
        }
        var all: [UInt8] = []
        while case let bytes = try ByteSource.next(reading.fileDescriptor, "pipe"), !bytes.isEmpty { all += bytes }
        #expect(all == Array("a\nb\n".utf8))
    }

    @Test func `a file is read to its end, and a pipe is one`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        let text = Data(repeating: UInt8(ascii: "x"), count: 200_000)
        Thread.detachNewThread { FileHandle(forWritingAtPath: path)?.write(text) }
        #expect(try ByteSource.all(of: path, atMost: 200_000) == Array(text))
        let file = try folder.file()
        #expect(try ByteSource.all(of: file, atMost: 0).isEmpty)
        try text.write(to: URL(filePath: file))
        for (path, most, expected) in [
            (file, 199_999, "\(file): File too large"), (folder.root, 1, "\(folder.root): Is a directory"),
            (folder.path("none"), 1, "\(folder.path("none")): No such file or directory"),
        ] {
            let error = #expect(throws: FileError.self) { try ByteSource.all(of: path, atMost: most) }
            #expect(error?.description == expected)
        }
        let run = await Run.glossctl("alerts", "try", "x", "--file", folder.root)
        #expect(run.status == .wrongUsage && run.errors == "glossctl: \(folder.root): Is a directory\n")
    }
}
