import Foundation

/// A journal of realistic entries, made once and kept: half of them events of a workload, the others what services and the
/// kernel usually say.
struct GeneratedJournal: Sendable {
    let workload: any Workload
    let folder: URL
    let entries: Int

    private static let tool = "/lib/systemd/systemd-journal-remote"

    /// - Parameter files: those of the workload, unless others are given.
    init(_ workload: any Workload, entries: Int, files: JournalFiles? = nil, under parent: URL) throws {
        self.workload = workload
        self.entries = entries
        let name = "\(workload.name)-\(entries)"
        folder = parent.appending(path: files.map { "\(name)-\($0.count)" } ?? name)
        try make(files ?? workload.files)
    }

    /// The events among `entries`.
    var events: Int { EntryNumbers.events(in: entries) }

    private func make(_ files: JournalFiles) throws {
        let finished = folder.appending(path: "finished")
        guard !FileManager.default.fileExists(atPath: finished.path) else { return }
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        say("Generating \(files.count) journal files ...")
        for file in 0..<files.count {
            try write(files.numbers(of: file, in: entries), to: folder.appending(path: files.name(of: file)))
        }
        try Data().write(to: finished)
    }

    private func write(_ numbers: StrideTo<Int>, to file: URL) throws {
        let (remote, input) = (Process(), Pipe())
        remote.executableURL = URL(filePath: Self.tool)
        remote.arguments = ["--output=\(file.path)", "-"]
        remote.standardInput = input
        remote.standardError = FileHandle.nullDevice
        try remote.run()
        try write(numbers, to: input.fileHandleForWriting)
        remote.waitToEnd(atMost: .seconds(120))
        guard remote.terminationStatus == 0 else {
            throw BenchError("systemd-journal-remote ended with status \(remote.terminationStatus)")
        }
    }

    private func write(_ numbers: StrideTo<Int>, to input: FileHandle) throws {
        var text = JournalEntryText()
        for number in numbers {
            text.append(number, of: workload)
            guard text.bytes.count > 1 << 20 else { continue }
            try input.write(contentsOf: text.bytes)
            text.removeAll()
        }
        try input.write(contentsOf: text.bytes)
        try input.close()
    }

    /// Of its files.
    func bytes() throws -> Int {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
            .reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }
}
