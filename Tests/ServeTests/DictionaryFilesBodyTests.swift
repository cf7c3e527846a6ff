import API
import Foundation
import Hummingbird
import Model
import NIOCore
import Synchronization
import Testing

@testable import Queries
@testable import Serve

struct DictionaryFilesBodyTests {
    private final class Written: Sendable {
        private let state = Mutex((chunks: [[UInt8]](), isFinished: false))
        var chunks: [[UInt8]] { state.withLock(\.chunks) }
        var isFinished: Bool { state.withLock(\.isFinished) }
        func add(_ chunk: [UInt8]) { state.withLock { $0.chunks.append(chunk) } }
        func finish() { state.withLock { $0.isFinished = true } }
    }

    private struct Writer: ResponseBodyWriter {
        let written: Written
        func write(_ buffer: ByteBuffer) async throws { written.add(Array(buffer.readableBytesView)) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { written.finish() }
    }

    private func body(
        _ names: [String], _ file: @escaping @Sendable (_ name: String) async throws -> DefinitionFile?
    ) -> DictionaryFilesBody {
        DictionaryFilesBody(
            dictionary: "shop", version: "v", names: names.map { ($0, 0) }, memory: Budget(1), file: file)
    }

    private func file(_ name: String, bytes: Int) -> DefinitionFile {
        DefinitionFile(name: name, bytes: [UInt8](repeating: UInt8(ascii: "x"), count: bytes))
    }

    @Test func `files for a client that does not read are not read ahead`() async throws {
        let asked = Mutex(0)
        let reading = try await withIdleClient { writer, channel in
            let names = (0..<1000).map { "\($0).md" }
            let body = body(names) { name in
                asked.withLock { $0 += 1 }
                return file(name, bytes: 64 << 10)
            }
            await #expect(throws: (any Error).self) {
                try await body.write(to: PacedBody(writer, channel: channel), chunkBytes: 32 << 10)
            }
            return asked.withLock(\.self)
        }
        // The kernel takes about 200 KiB and the channel 64 KiB.
        #expect(reading < 16)
    }

    @Test func `a large file takes a share of the memory while it is on its way, a small one none`() async throws {
        let memory = Budget(1 << 20)
        let taken = Mutex<[Int]>([])
        let files = [("a", 10), ("b", 100_000), ("c", 2_000_000), ("d", 10)]
        let body = DictionaryFilesBody(dictionary: "shop", version: "v", names: files, memory: memory) { name in
            taken.withLock { $0.append(memory.taken) }
            return file(name, bytes: files.first { $0.0 == name }?.1 ?? 0)
        }
        try await body.write(to: PacedBody(Writer(written: Written()), channel: nil), chunkBytes: 1000)
        #expect(taken.withLock(\.self) == [0, 200_000, 1 << 20, 0])
        #expect(memory.taken == 0)
    }

    @Test func `small files are written together, large ones by themselves`() async throws {
        let written = Written()
        let sizes = ["a": 10, "b": 10, "c": 3000, "d": 0]
        try await body(sizes.keys.sorted()) { file($0, bytes: sizes[$0] ?? 0) }
            .write(to: PacedBody(Writer(written: written), channel: nil), chunkBytes: 1000)
        #expect(written.chunks.count == 2)
        #expect(written.isFinished)
        let files = try APICoding.decode(DictionaryFiles.self, from: Data(written.chunks.joined()))
        #expect(files.files.map(\.name) == ["a", "b", "c", "d"])
        #expect(files.files.map(\.text.count) == [10, 10, 3000, 0])
    }

    @Test func `files are text, and where they are not UTF-8 the bytes besides`() async throws {
        let written = Written()
        let files = ["a.md": Array("## 保存\r\n\"x\"".utf8), "b.md": [0x61, 0xFF]]
        try await body(files.keys.sorted()) { DefinitionFile(name: $0, bytes: files[$0] ?? []) }
            .write(to: PacedBody(Writer(written: written), channel: nil), chunkBytes: 1000)
        #expect(
            try APICoding.decode(DictionaryFiles.self, from: Data(written.chunks.joined()))
                == DictionaryFiles(
                    dictionary: "shop", version: "v",
                    files: [
                        .init(name: "a.md", text: "## 保存\r\n\"x\""),
                        .init(name: "b.md", text: "a\u{FFFD}", base64: "Yf8="),
                    ]))
    }

    @Test func `a version that is retired on its way is not taken for one with fewer files`() async throws {
        let written = Written()
        await #expect(throws: DictionaryFilesBody.FileIsGone.self) {
            try await body(["a", "b"]) { $0 == "a" ? file($0, bytes: 2000) : nil }
                .write(to: PacedBody(Writer(written: written), channel: nil), chunkBytes: 1000)
        }
        #expect(written.chunks.count == 1)
        #expect(!written.isFinished)
    }
}
