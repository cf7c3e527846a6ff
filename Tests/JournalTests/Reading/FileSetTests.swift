import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

@Suite struct FileSetTests {
    private func paths(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".journal") || $0.hasSuffix(".journal~") }.sorted()
            .map { "\(folder.path)/\($0)" }
    }

    /// Writes a file with an entry for each time, whose message is the file's name and the time.
    private func write(_ name: String, number: UInt64, times: some Sequence<UInt64>, in folder: URL) throws {
        var builder = JournalFileBuilder(number: number, seqnumID: number)
        for time in times { builder.add(event("\(name) \(time)"), at: time) }
        try Data(builder.bytes).write(to: folder.appending(path: "\(name).journal"))
    }

    /// Returns a file with an entry for each time.
    private func journal(_ times: ClosedRange<UInt64>) -> Data {
        var builder = JournalFileBuilder(number: 1, seqnumID: 1)
        for time in times { builder.add(event("\(time)"), at: time) }
        return Data(builder.bytes)
    }

    private func event(_ message: String) -> [[UInt8]] {
        ["_HOSTNAME=h", "SUBSYSTEM=s", "MESSAGE=\(message)"].map { Array($0.utf8) }
    }

    @Test(arguments: [1, 7, 4000]) func `entries of files that overlap come in the order of their times`(
        limit: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: stride(from: 1000, to: 2000, by: 3), in: folder)
            try write("user", number: 2, times: stride(from: 1001, to: 3000, by: 7), in: folder)
            try write("old", number: 3, times: 10...300, in: folder)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            #expect(files.scan(paths(in: folder)).isEmpty)
            var (times, messages) = ([UInt64](), Set<String>())
            while true {
                let batch = files.read(
                    BatchLimit(maximumEntriesRead: limit, maximumEvents: limit, maximumEventBytes: 1 << 20))
                #expect(batch.gaps.isEmpty)
                #expect(batch.entriesRead <= limit && batch.entries.count == batch.entriesRead)
                times += batch.entries.map(\.realtimeMicroseconds)
                messages.formUnion(batch.messages)
                if batch.reachedEnd { break }
            }
            #expect(times == times.sorted() && messages.count == times.count)
            #expect(times.count == 334 + 286 + 291)
        }
    }

    @Test func `numbers end at the largest one: what follows it is read, in any order of the numbers`() async throws {
        try await withTemporaryFolder { folder in
            let numbers = [0, .max - 1, .max, 0, 1, .max] as [UInt64]
            var builder = JournalFileBuilder()
            for (place, number) in numbers.enumerated() {
                builder.add(event("\(place)"), seqnum: number, at: 1000 + UInt64(place))
            }
            try Data(builder.bytes).write(to: folder.appending(path: "system.journal"))
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            #expect(files.scan(paths(in: folder)).isEmpty)
            #expect(files.read().messages == ["0", "1", "2", "3", "4", "5"])
            // Its header counts an entry more than it has numbers for.
            builder = JournalFileBuilder(number: 2, seqnumID: 2)
            builder.add(event("last"), seqnum: .max, at: 2000)
            var bytes = builder.bytes
            bytes[152] = 2
            try Data(bytes).write(to: folder.appending(path: "other.journal"))
            #expect(files.scan(paths(in: folder)).isEmpty)
            let batch = files.read()
            #expect(batch.messages == ["last"] && batch.gaps.isEmpty)
        }
    }

    @Test func `a hundred hosts in one folder are read side by side`() async throws {
        try await withTemporaryFolder { folder in
            for host in 0..<100 as Range<UInt64> {
                try write("h\(host)", number: host, times: stride(from: 1000 + host, to: 3000, by: 100), in: folder)
            }
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            let entries = files.read().entries
            #expect(entries.map(\.realtimeMicroseconds) == Array(1000..<3000))
            // Entries of one host share one origin, although those of others come in between.
            #expect(Set(entries.map { ObjectIdentifier($0.origin) }).count <= 150)
        }
    }

    @Test func `a file that comes late is read, one that was renamed is not read again, nor is a copy`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 100...110, in: folder)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            #expect(files.read().entries.count == 11)

            try write("late", number: 2, times: 50...60, in: folder)
            let (old, new) = (folder.appending(path: "system.journal"), folder.appending(path: "system@1.journal"))
            try FileManager.default.moveItem(at: old, to: new)
            try FileManager.default.copyItem(at: new, to: folder.appending(path: "copy.journal"))
            _ = files.scan(paths(in: folder))
            let batch = files.read()
            #expect(batch.entries.map(\.realtimeMicroseconds) == Array(50...60))
            #expect(files.read().entriesRead == 0)
        }
    }

    /// A file with these entries, of which ten were read.
    private func begun(_ times: ClosedRange<UInt64>, in folder: URL) throws -> FileSet {
        try write("system", number: 1, times: times, in: folder)
        let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
        _ = files.scan(paths(in: folder))
        let few = BatchLimit(maximumEntriesRead: 10, maximumEvents: 10, maximumEventBytes: 1 << 20)
        #expect(files.read(few).entries.count == 10)
        return files
    }

    @Test func `a file that is deleted while it is read is read to its end`() async throws {
        try await withTemporaryFolder { folder in
            let files = try begun(1...5000, in: folder)
            try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            _ = files.scan(paths(in: folder))
            files.look()
            #expect(files.read().entries.count == 4990)
            _ = files.scan(paths(in: folder))
            #expect(files.files.isEmpty)
        }
    }

    @Test func `what is left of a file that journald deletes while it is read is not called damaged`() async throws {
        try await withTemporaryFolder { folder in
            let files = try begun(1...50_000, in: folder)
            let path = folder.appending(path: "system.journal")
            let file = try FileHandle(forWritingTo: path)
            defer { try? file.close() }
            let bytes = try file.seekToEnd()
            try FileManager.default.removeItem(at: path)
            // As journald does it, so that a process that has the file open does not keep its blocks.
            try file.truncate(atOffset: 0)
            try file.truncate(atOffset: bytes)
            _ = files.scan([])
            files.look()
            let rest = files.read()
            #expect(rest.gaps.map(\.cause) == [.deleted] && rest.gaps.first?.certainty == .exact)
            #expect(rest.gaps.first?.part?.lastSeqnum == nil, "the file is still open")
            #expect(rest.entries.count + Int(rest.gaps.first?.count ?? 0) == 49_990)
            files.look()
            _ = files.scan([])
            #expect(files.files.isEmpty && files.read().gaps.isEmpty)
        }
    }

    @Test func `what is left of a file that was deleted while it was closed is counted`() async throws {
        try await withTemporaryFolder { folder in
            // More than may be open.
            for number in 1...300 as ClosedRange<UInt64> {
                try write("h\(number)@1", number: number, times: [number, 10_000 + number], in: folder)
            }
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            let some = BatchLimit(maximumEntriesRead: 300, maximumEvents: 300, maximumEventBytes: 1 << 20)
            #expect(files.read(some).entries.map(\.realtimeMicroseconds) == Array(1...300))
            for path in paths(in: folder) { try FileManager.default.removeItem(atPath: path) }
            // Those that are closed could have been renamed when they are missed once.
            _ = files.scan([])
            _ = files.scan([])
            let rest = files.read()
            #expect(rest.gaps.allSatisfy { $0.cause == .deleted && $0.count == 1 && $0.certainty == .exact })
            #expect(rest.gaps.allSatisfy { $0.part?.lastSeqnum != nil })
            #expect(rest.entries.count + rest.gaps.count == 300 && rest.entries.count < 300)
            _ = files.scan([])
            #expect(files.files.isEmpty && files.read().gaps.isEmpty)
        }
    }

    @Test func `a file in place of another is read, whatever the kernel calls it`() async throws {
        try await withTemporaryFolder { folder in
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            for round in 1...20 as ClosedRange<UInt64> {
                try write("system", number: round, times: (round * 10)...(round * 10 + 5), in: folder)
                _ = files.scan(paths(in: folder))
                files.look()
                #expect(
                    files.read().entries.map(\.realtimeMicroseconds)
                        == Array((round * 10)...(round * 10 + 5)))
                try FileManager.default.removeItem(at: folder.appending(path: "system.journal"))
            }
        }
    }

    @Test func `a file that is written over another is read, and what was not read of that is missing`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "system.journal")
            try write("system", number: 1, times: 1...50, in: folder)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan([file.path])
            #expect(files.read(BatchLimit(maximumEntriesRead: 10)).entries.count == 10)
            var builder = JournalFileBuilder(number: 2, seqnumID: 2)
            for time in 101...105 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            // The same file to the kernel.
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(builder.bytes))
            try handle.close()
            var (times, missing) = ([UInt64](), UInt64(0))
            for _ in 0..<4 {
                files.look()
                _ = files.scan([file.path])
                files.look()
                let batch = files.read()
                times += batch.entries.map(\.realtimeMicroseconds)
                missing += batch.gaps.compactMap(\.count).reduce(0, +)
            }
            #expect(times.suffix(5) == Array(101...105)[...])
            #expect(times.count - 5 + Int(missing) == 40)
            #expect(files.files.count == 1)
        }
    }

    @Test func `entries of boots that were forgotten may be known when their file comes back`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder(number: 1, seqnumID: 1)
            for number in 1...150 as ClosedRange<UInt64> {
                builder.add(
                    JournalFileBuilder.Entry(
                        seqnum: number, realtimeMicroseconds: FixedJournal.start + number,
                        monotonicMicroseconds: number, bootID: ID128(high: 5, low: (number - 1) / 5),
                        fields: event("\(number)")))
            }
            let file = folder.appending(path: "system@1.journal")
            try Data(builder.bytes).write(to: file)
            let options = JournalOptions.test(maximumChains: 8)
            let files = FileSet(rules: [.subsystem("*")], options: options)
            var state = ReadingState(startMicroseconds: 0)
            func read(_ files: FileSet) -> [Bool] {
                _ = files.scan(paths(in: folder))
                var known: [Bool] = []
                while true {
                    let batch = files.read(BatchLimit(maximumEntriesRead: 20))
                    state.add(files.takeProgress())
                    guard batch.entriesRead > 0 else { return known }
                    known += batch.entries.map(\.mayBeKnown)
                }
            }
            #expect(read(files) == Array(repeating: false, count: 150))
            try FileManager.default.removeItem(at: file)
            #expect(read(files).isEmpty && files.files.isEmpty && state.chains.count <= 8)
            try Data(builder.bytes).write(to: file)
            #expect(read(files) == Array(repeating: true, count: 150))
            state.files = []
            #expect(
                read(FileSet(rules: [.subsystem("*")], options: options, from: state))
                    == Array(repeating: true, count: 150))
        }
    }

    /// The times of the entries that are read by and by, as by a daemon.
    private func read(_ files: FileSet, in folder: URL, rounds: Int = 3) -> (times: [UInt64], gaps: [Gap]) {
        var (times, gaps) = ([UInt64](), [Gap]())
        for _ in 0..<rounds {
            _ = files.scan(paths(in: folder))
            files.look()
            let batch = files.read()
            times += batch.entries.map(\.realtimeMicroseconds)
            gaps += batch.gaps
        }
        return (times, gaps)
    }

    @Test(arguments: ["system", "system@1"], [1, 7, 40])
    func `a file that is being copied is read to its end when that is there`(name: String, steps: Int) async throws {
        try await withTemporaryFolder { folder in
            let (bytes, file) = (journal(1...5000), folder.appending(path: "\(name).journal"))
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            var (times, gaps) = ([UInt64](), [Gap]())
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            defer { try? handle.close() }
            for step in 0..<steps {
                try handle.write(contentsOf: bytes[bytes.count * step / steps..<bytes.count * (step + 1) / steps])
                let part = read(files, in: folder, rounds: 2)
                times += part.times
                gaps += part.gaps
            }
            #expect(times == Array(1...5000) && gaps.isEmpty)
            #expect(files.scan(paths(in: folder)).isEmpty)
        }
    }

    /// Writes a file from its beginning in steps, and reads between them.
    private func fill(
        _ file: URL, with bytes: Data, steps: Int, _ files: FileSet
    ) throws -> (times: [UInt64], gaps: [Gap]) {
        var (times, gaps) = ([UInt64](), [Gap]())
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        // Blocks begin at multiples of 8, as objects do.
        let words = bytes.count / 8
        for step in 0..<steps {
            try handle.write(contentsOf: bytes[8 * (words * step / steps)..<8 * (words * (step + 1) / steps)])
            let part = read(files, in: file.deletingLastPathComponent(), rounds: 2)
            times += part.times
            gaps += part.gaps
        }
        return (times, gaps)
    }

    @Test(arguments: ["system", "system@1"], [1, 7, 40, 999])
    func `a copy that gets its size first is read to its end when that is there`(
        name: String, steps: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let (bytes, file) = (journal(1...1000), folder.appending(path: "\(name).journal"))
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            try Data(count: bytes.count).write(to: file)
            let all = try fill(file, with: bytes, steps: steps, files)
            #expect(all.times == Array(1...1000) && all.gaps.isEmpty)
            #expect(files.scan(paths(in: folder)).isEmpty)
        }
    }

    @Test(arguments: [1, 7, 40, 999])
    func `a file whose header comes before its new entries is read on when they are there`(steps: Int) async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder(number: 1, seqnumID: 1)
            // As `rsync --inplace` updates a file of journald, which has room at its end.
            func bytes(_ times: ClosedRange<UInt64>) -> Data {
                for time in times { builder.add(event("\(time)"), at: time) }
                return Data(builder.bytes) + Data(count: 1 << 20 - builder.bytes.count)
            }
            let file = folder.appending(path: "system.journal")
            try bytes(1...1000).write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            let before = read(files, in: folder)
            let after = try fill(file, with: bytes(1001...1500), steps: steps, files)
            #expect(before.times + after.times == Array(1...1500) && (before.gaps + after.gaps).isEmpty)
            #expect(files.scan(paths(in: folder)).isEmpty)
        }
    }

    @Test func `a copy that got its size first and was cut off a while ago is read as far as it goes`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...5000, in: folder)
            let file = folder.appending(path: "system.journal")
            var bytes = try Data(contentsOf: file)
            bytes.resetBytes(in: bytes.count / 2..<bytes.count)
            try bytes.write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            let before = read(files, in: folder)
            #expect(before.gaps.isEmpty && files.scan(paths(in: folder)).map(\.error) == [.unfinished])
            try FileManager.default.age(file)
            let after = read(files, in: folder)
            #expect(before.times.count > 1000 && after.times.count < 2 && after.gaps.map(\.cause) == [.damaged])
            #expect(before.times.count + after.times.count + Int(after.gaps.first?.count ?? 0) == 5000)
        }
    }

    @Test func `zeros before the last object are damage, although the file was just written`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...5000, in: folder)
            let file = folder.appending(path: "system.journal")
            var bytes = try Data(contentsOf: file)
            bytes.resetBytes(in: bytes.count / 2..<bytes.count / 2 + 4096)
            try bytes.write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            let all = read(files, in: folder)
            #expect(!all.gaps.isEmpty && all.gaps.allSatisfy { $0.cause == .damaged })
            #expect(all.times.last == 5000)
        }
    }

    @Test func `damage in a deleted file that journald still writes to costs only what is damaged`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...5000, in: folder)
            let file = folder.appending(path: "system.journal")
            let handle = try FileHandle(forUpdating: file)
            defer { try? handle.close() }
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size / 2)
            try handle.write(contentsOf: Data(count: 4096))
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            files.look()
            let before = files.read(BatchLimit(maximumEntriesRead: 10)).entries.map(\.realtimeMicroseconds)
            try FileManager.default.removeItem(at: file)
            _ = files.scan(paths(in: folder))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(count: 8))
            let rest = read(files, in: folder)
            let lost = rest.gaps.reduce(0) { $0 + ($1.count ?? 0) }
            #expect(rest.times.last == 5000 && rest.gaps.allSatisfy { $0.cause == .deleted })
            #expect(lost > 0 && UInt64(before.count + rest.times.count) + lost == 5000)
        }
    }

    @Test(arguments: ["system", "system@1"], [false, true])
    func `a file that is copied faster than it is read is read to its end`(
        name: String, getsSizeFirst: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let (bytes, file) = (journal(1...5000), folder.appending(path: "\(name).journal"))
            let half = bytes.count / 16 * 8
            try (bytes[..<half] + Data(count: getsSizeFirst ? bytes.count - half : 0)).write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            let few = BatchLimit(maximumEntriesRead: 100, maximumEvents: 100, maximumEventBytes: 1 << 20)
            var times = files.read(few).entries.map(\.realtimeMicroseconds)
            #expect(times.count == 100)
            // While it is open, the rest is written.
            let handle = try FileHandle(forWritingTo: file)
            try handle.seek(toOffset: UInt64(half))
            try handle.write(contentsOf: bytes[half...])
            try handle.close()
            let rest = read(files, in: folder)
            times += rest.times
            #expect(times == Array(1...5000) && rest.gaps.isEmpty)
        }
    }

    @Test func `a copy that is still being written continues where the other was read to`() async throws {
        try await withTemporaryFolder { folder in
            let (file, all) = (folder.appending(path: "system@1.journal"), journal(1...3000))
            try journal(1...1500).write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            var times = read(files, in: folder).times
            #expect(times.count == 1500)
            // Another file takes the name, with less than was read.
            try FileManager.default.removeItem(at: file)
            try all[..<(all.count / 5)].write(to: file)
            let part = read(files, in: folder)
            try all.write(to: file)
            let rest = read(files, in: folder)
            times += part.times + rest.times
            #expect(times == Array(1...3000) && (part.gaps + rest.gaps).isEmpty)
        }
    }

    @Test func `a file that a copy of itself replaces is read on`() async throws {
        try await withTemporaryFolder { folder in
            var builder = JournalFileBuilder(number: 1, seqnumID: 1)
            for time in 1...500 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            let (file, copy) = (folder.appending(path: "system.journal"), folder.appending(path: "copy"))
            try Data(builder.bytes).write(to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            var times = read(files, in: folder).times
            try FileManager.default.copyItem(at: file, to: copy)
            try #require(rename(copy.path, file.path) == 0)
            times += read(files, in: folder).times
            // As journald writes: to the file that is there now.
            for time in 501...600 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(builder.bytes))
            try handle.close()
            times += read(files, in: folder).times
            #expect(times == Array(1...600))
        }
    }

    @Test(arguments: [true, false])
    func `an older copy that takes the place of a file is read, and what may have been read is looked for`(
        isSameFile: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let (file, copy) = (folder.appending(path: "system.journal"), folder.appending(path: "copy"))
            var builder = JournalFileBuilder(number: 1, seqnumID: 1)
            for time in 1...100 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            try Data(builder.bytes).write(to: copy)
            try FileManager.default.age(copy)
            try journal(1...200).write(to: file)
            try FileManager.default.age(file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            #expect(read(files, in: folder).times == Array(1...200))
            func write() throws {
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: Data(builder.bytes))
                try handle.truncate(atOffset: UInt64(builder.bytes.count))
                try handle.close()
            }
            if isSameFile {
                try write()
                #expect(read(files, in: folder).times == Array(1...100))
            } else {
                try #require(rename(copy.path, file.path) == 0)
                // The other could still be written to.
                #expect(read(files, in: folder).times.isEmpty && files.hasDeleted)
            }
            for time in 1001...1050 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            try write()
            let new = read(files, in: folder)
            #expect(new.times == (isSameFile ? [] : Array(1...100)) + Array(1001...1050))
            #expect(new.gaps.isEmpty && files.files.count == 1 && !files.hasDeleted)
            for time in 1051...1200 as ClosedRange<UInt64> { builder.add(event("\(time)"), at: time) }
            try write()
            files.look()
            // Numbers up to 200 were read before.
            #expect(files.read().entries.map(\.mayBeKnown) == (151...300).map { $0 <= 200 })
            #expect(read(files, in: folder).times.isEmpty)
        }
    }

    @Test(arguments: [(5, 1...5, 190), (50, 11...50, 150)] as [(UInt64, ClosedRange<UInt64>, UInt64)])
    func `what was not read of a file that an older copy was written over is missing`(
        count: UInt64, times: ClosedRange<UInt64>, missing: UInt64
    ) async throws {
        try await withTemporaryFolder { folder in
            let files = try begun(1...200, in: folder)
            try write("system", number: 1, times: 1...count, in: folder)
            let rest = read(files, in: folder)
            #expect(rest.times == Array(times))
            #expect(rest.gaps.map(\.cause) == [.deleted] && rest.gaps.map(\.count) == [missing])
            #expect(rest.gaps.map(\.part?.lastSeqnum) == [200])
        }
    }

    @Test func `a file that was cut off a while ago is read as far as it goes`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...5000, in: folder)
            let file = folder.appending(path: "system.journal")
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: try handle.seekToEnd() / 2)
            try handle.close()
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            let before = read(files, in: folder)
            #expect(before.gaps.isEmpty && files.scan(paths(in: folder)).map(\.error) == [.unfinished])
            try FileManager.default.age(file)
            let after = read(files, in: folder)
            #expect(before.times.count > 1000 && after.times.isEmpty && after.gaps.map(\.cause) == [.damaged])
            #expect(before.times.count + Int(after.gaps.first?.count ?? 0) == 5000)
        }
    }

    /// A file's time may be ahead of the clock: by a tick if the kernel's is finer, by more if the disk is another
    /// machine's. A file of a wrong clock is not waited for forever.
    @Test(arguments: [(1, true), (5, true), (-5, true), (60, false), (-60, false), (Int.min / 2, false)])
    func `a file is being written if its time is about now`(seconds: Int, isWaitedFor: Bool) async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...500, in: folder)
            let file = folder.appending(path: "system.journal")
            try #require(truncate(file.path, off_t(try Data(contentsOf: file).count / 2)) == 0)
            let time = timespec(tv_sec: Glibc.time(nil) + seconds, tv_nsec: 0)
            try #require(utimensat(AT_FDCWD, file.path, [time, time], 0) == 0)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            #expect(read(files, in: folder, rounds: 1).gaps.map(\.cause) == (isWaitedFor ? [] : [.damaged]))
        }
    }

    @Test(arguments: ["system", "system@1"], [true, false])
    func `a copy that has more entries continues where the other was read to`(
        name: String, isBegun: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "\(name).journal")
            // As rsync does it: another file takes the name.
            func copy(_ times: ClosedRange<UInt64>, to file: URL) throws {
                try journal(times).write(to: folder.appending(path: "temporary"))
                try #require(rename(folder.appending(path: "temporary").path, file.path) == 0)
            }
            try copy(1...500, to: file)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            _ = files.scan(paths(in: folder))
            var times = files.read(BatchLimit(maximumEntriesRead: isBegun ? 100 : 1000)).entries.map(
                \.realtimeMicroseconds)
            for end in stride(from: 600, through: 1000, by: 200) as StrideThrough<UInt64> {
                try copy(1...end, to: file)
                let part = read(files, in: folder)
                #expect(part.gaps.isEmpty)
                times += part.times
                #expect(times == Array(1...end))
            }
            // The same for one under another name; one with fewer does not count.
            try copy(1...1100, to: folder.appending(path: "system@2.journal"))
            try copy(1...700, to: folder.appending(path: "system@3.journal"))
            times += read(files, in: folder).times
            #expect(times == Array(1...1100) && files.files.count == 1)
            let progress = files.takeProgress()
            #expect(progress.files.values.map { $0?.entries } == [1100])
        }
    }

    @Test func `a file that was read and cannot be opened again is one problem`() async throws {
        try await withTemporaryFolder { folder in
            try write("system", number: 1, times: 1...3, in: folder)
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            #expect(files.scan(paths(in: folder)).isEmpty)
            try #require(files.files.first).close()
            let path = folder.appending(path: "system.journal")
            try Data(repeating: 0x47, count: 1000).write(to: path)
            files.look()
            #expect(files.scan(paths(in: folder)) == [.init(path: path.path, error: .notAJournal)])
        }
    }

    @Test func `what is not a journal file is reported, and the others are read`() async throws {
        try await withTemporaryFolder { folder in
            try write("good", number: 1, times: 1...3, in: folder)
            try Data(repeating: 7, count: 4096).write(to: folder.appending(path: "bad.journal"))
            try Data().write(to: folder.appending(path: "empty.journal"))
            let files = FileSet(rules: [.subsystem("*")], options: .test(maximumFieldBytes: 1024))
            let problems = files.scan(paths(in: folder))
            #expect(problems.map(\.path) == ["bad", "empty"].map { "\(folder.path)/\($0).journal" })
            #expect(problems.map(\.error) == [.notAJournal, .incomplete])
            #expect(files.read().entries.count == 3)
        }
    }

    @Test(.enabled(if: PrivateJournald.reasonToSkip == nil), .timeLimit(.minutes(2)))
    func `a journal that is written, rotated and vacuumed meanwhile is read once`() async throws {
        try await PrivateJournald.withOne { journald in
            let files = FileSet(rules: [.subsystem("s")], options: .test(maximumFieldBytes: 1 << 20))
            var messages: [String] = []
            func readAll() throws {
                _ = files.scan(paths(in: journald.folder))
                files.look()
                let batch = files.read()
                #expect(batch.reachedEnd && batch.gaps.isEmpty)
                messages += batch.messages
            }
            for number in 1...2000 {
                try journald.send([
                    "SUBSYSTEM": "s", "MESSAGE": "\(number) \(String(repeating: "x", count: number % 900))",
                ])
                if number % 10 == 0 { try readAll() }
                if number % 100 == 0 { try journald.rotate() }
                if number % 500 == 0 {
                    try journald.sync()
                    try readAll()
                    try journald.vacuum()
                }
            }
            try journald.sync()
            try readAll()
            #expect(messages.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } } == Array(1...2000))
        }
    }
}
