import Definitions
import Foundation
import Model
import TestSupport

/// All definition files of all fixtures.
enum FuzzCorpus {
    static func files() throws -> [DefinitionFile] {
        let tables = try TableFile.all(in: "definitions", source: source).flatMap(\.definitionFiles)
        return tables + (try DictionaryFolder.files(in: EverythingTests.options.path, ignore: []))
    }

    private static let source = URL(filePath: #filePath).deletingLastPathComponent().path + ".swift"
}

/// Changes a few bytes, pieces or lines of good files.
struct Mutation {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func files(of good: [DefinitionFile]) -> [DefinitionFile] {
        (0..<random(1...3)).map { index in
            var bytes = good[random(0...good.count - 1)].bytes
            for _ in 0..<random(1...6) { change(&bytes, good) }
            let names = ["a", random(0...1) == 0 ? "types/b" : "b", "common"]
            return DefinitionFile(name: "\(names[index]).md", bytes: bytes)
        }
    }

    private mutating func change(_ bytes: inout [UInt8], _ good: [DefinitionFile]) {
        guard !bytes.isEmpty else { return }
        let start = random(0...bytes.count - 1)
        let range = start..<min(start + random(0...40), bytes.count)
        switch random(0...5) {
        case 0: bytes[start] = UInt8(random(0...255))
        case 1: bytes.removeSubrange(range)
        case 2: bytes.insert(contentsOf: bytes[range], at: random(0...bytes.count))
        case 3: bytes.insert(contentsOf: Array("\n -*#`_:![]<>".utf8.shuffled(using: &generator).prefix(3)), at: start)
        case 4:
            let other = good[random(0...good.count - 1)].bytes
            guard !other.isEmpty else { return }
            bytes.insert(contentsOf: other[random(0...other.count - 1)...].prefix(80), at: start)
        default: bytes.swapAt(start, random(0...bytes.count - 1))
        }
    }

    private mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}
