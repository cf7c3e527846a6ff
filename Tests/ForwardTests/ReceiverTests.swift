import Model
import Testing

@testable import Forward
@testable import gloss_receiver

@Suite struct AnswerScriptTests {
    private func names(_ text: String, count: Int) throws -> [String] {
        var script = try AnswerScript(text)
        return (0..<count).map { _ in
            defer { script.advance() }
            return script.current.name
        }
    }

    @Test func `answers come one after the other, and the last one repeats`() throws {
        #expect(
            try names("503x3,429:retry-after=2,200", count: 7) == ["503", "503", "503", "429", "200", "200", "200"])
        #expect(try names("dropx2,slow=0.5,hang", count: 5) == ["drop", "drop", "slow", "hang", "hang"])
    }

    @Test func `an answer may have a header, whatever its value holds`() throws {
        let header = try #require(try AnswerScript("302:location=http://127.0.0.1:9/a=b").current.header)
        #expect(header.value == "http://127.0.0.1:9/a=b")
        #expect(try AnswerScript("200:Location=http://127.0.0.1:9/a=b").current.header == header)
    }

    @Test func `a batch that cannot be written uses up no answer`() async throws {
        let batch = Received(key: "a", body: Array("{}\n".utf8), plain: Array("{}\n".utf8))
        let ledger = Ledger(
            script: try AnswerScript("200,503"), output: try AppendedFile(path: "/dev/full"), attempts: nil,
            isQuiet: true)
        for _ in 1...2 {
            await #expect(throws: AppendedFile.Failure.self) { try await ledger.take(batch) }
        }
    }

    @Test(
        arguments: [
            "", ",", "200,", "abc", "199", "600", "-200", "200x0", "200x-1", "200x", "slow", "slow=", "slow=-1",
            "slow=nan", "429:",
            "429:retry-after", "429:retry after=2", "429:=2", "drop=1", "200x99999999999999999999",
        ])
    func `what is no answer is refused and named`(text: String) throws {
        let error = try #require(throws: AnswerScriptError.self) { _ = try AnswerScript(text) }
        #expect(error.description.contains("503x3"))
    }
}

@Suite struct InflaterTests {
    @Test func `a bomb is found out as soon as it is too large`() throws {
        let zeros = [UInt8](repeating: 0, count: 10_000_000)
        let bomb = try #require(Compressor.compress(zeros, .gzip))
        #expect(bomb.count < 20_000)
        #expect(throws: Inflater.Failure.tooLarge) { try Inflater.plain(bomb, encoding: "gzip", limit: 1_000_000) }
        #expect(try Inflater.plain(bomb, encoding: "gzip", limit: 10_000_000) == zeros)
    }

    @Test func `gzip may have several members, and nothing else may follow`() throws {
        let texts = ["{\"a\":1}\n", "{\"b\":2}\n", ""].map { Array($0.utf8) }
        let members = try texts.flatMap { try #require(Compressor.compress($0, .gzip)) }
        #expect(try Inflater.plain(members, encoding: "gzip", limit: 100) == texts.flatMap(\.self))
        #expect(throws: Inflater.Failure.tooLarge) { try Inflater.plain(members, encoding: "gzip", limit: 10) }
        let trailing = [Array("trailing".utf8), [0], [0x1F, 0x8B]]
        for bytes in trailing {
            #expect(throws: Inflater.Failure.damaged) {
                try Inflater.plain(members + bytes, encoding: "gzip", limit: 100)
            }
        }
        let deflated = try #require(Compressor.compress(texts[0], .deflate))
        #expect(throws: Inflater.Failure.damaged) {
            try Inflater.plain(deflated + deflated, encoding: "deflate", limit: 100)
        }
    }

    @Test func `what is damaged or cut short is refused`() throws {
        let body = try #require(Compressor.compress(Array("hello hello hello".utf8), .deflate))
        #expect(try Inflater.plain(body, encoding: "Deflate", limit: 100) == Array("hello hello hello".utf8))
        #expect(throws: Inflater.Failure.damaged) {
            try Inflater.plain(body.dropLast(6).map { $0 }, encoding: "deflate", limit: 100)
        }
        #expect(throws: Inflater.Failure.damaged) { try Inflater.plain([], encoding: "gzip", limit: 100) }
        #expect(throws: Inflater.Failure.damaged) { try Inflater.plain([1, 2, 3], encoding: "gzip", limit: 100) }
        #expect(throws: Inflater.Failure.unknownEncoding) { try Inflater.plain(body, encoding: "br", limit: 100) }
    }
}
