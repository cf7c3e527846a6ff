import Glibc
import Linux
package import Model
import Synchronization

/// Reads a journal once more, as far as it was read before, to compare it with what was made of it.
package final class JournalAudit: Sendable {
    /// How much there is.
    package struct Extent: Sendable, Hashable {
        /// Entries that are to be looked at.
        package var entries: UInt64
        /// Entries in the files that are not read yet.
        package var unread: UInt64
    }

    /// Numbers that no file has.
    package struct Hole: Sendable, Hashable {
        /// Names the counter that gave them.
        package var seqnumID: ID128
        package var bootID: ID128
        package var numbers: ClosedRange<UInt64>
    }

    private let queue = WorkQueue("gloss.journal.audit")
    private let limit = BatchLimit()
    private let folders: JournalFolders
    private let state: ReadingState
    /// Only touched on `queue`, one call at a time, so that nobody ever waits for it.
    private let files: Mutex<FileSet>
    /// Numbers that no file of a boot has as far as was read; those of boots that are forgotten meanwhile are kept.
    private let found = Mutex<[BootOfMachine: [Chains.Hole]]>([:])
    /// What could not be looked into at the beginning.
    private let problems = Mutex<[JournalHealth.Problem]>([])

    /// - Parameters:
    ///   - state: how far the journal was read.
    ///   - since: entries that are older are left out; microseconds since 1970.
    package init(options: JournalOptions, rules: [SourceRule], state: ReadingState, since: UInt64) {
        folders = JournalFolders(options.location)
        self.state = state
        let start = ReadingState(startMicroseconds: max(state.startMicroseconds, since))
        files = Mutex(FileSet(rules: rules, options: options, from: start))
    }

    /// Looks which files there are. To be called once, before all else.
    package func begin() async -> Extent {
        await queue.run { [self] in
            let look = folders.look()
            return files.withLock { files in
                let found = files.scan(look.files, isWhole: look.problems.isEmpty).filter(isToBeTold)
                problems.withLock { problems in
                    problems = look.problems + found.map { .init(path: $0.path, reason: $0.error.reason) }
                }
                let all = files.unread
                files.end(at: state.files)
                let entries = files.unread
                return Extent(entries: entries, unread: all - min(all, entries))
            }
        }
    }

    /// journald has not made a file yet that is too short to be one, unless it was read before.
    private func isToBeTold(_ problem: FileSet.Problem) -> Bool {
        problem.error != .incomplete || state.files.contains { $0.path == problem.path }
    }

    /// The next entries.
    /// - Returns: `nil` when there are no more.
    package func nextBatch() async -> EntryBatch? {
        await queue.run { [self] in
            files.withLock { files in
                var batch = EntryBatch()
                files.read(limit, into: &batch)
                noteHoles(files)
                // Nobody saves it, but what changed is held until it is taken, and no boot is forgotten.
                _ = files.takeProgress()
                return batch.entriesRead > 0 || !batch.gaps.isEmpty ? batch : nil
            }
        }
    }

    private func noteHoles(_ files: FileSet) {
        found.withLock { found in
            for (boot, holes) in files.otherHoles() { found[boot] = holes.isEmpty ? nil : holes }
        }
    }

    /// When all entries were looked at: numbers that no file has.
    package func holes() async -> [Hole] {
        await queue.run { [self] in
            files.withLock { noteHoles($0) }
            return found.withLock { found in
                found.values.flatMap(\.self)
                    .map { Hole(seqnumID: $0.seqnumID, bootID: $0.boot.bootID, numbers: $0.numbers) }
                    .sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
            }
        }
    }

    /// When all entries were looked at: files and folders that could not be read, or not to their ends. What was deleted
    /// meanwhile is not among them.
    package func unreadable() async -> [JournalHealth.Problem] {
        await queue.run { [self] in
            let later = files.withLock { files in
                files.files.compactMap { file -> JournalHealth.Problem? in
                    guard let error = file.problem, error != .io(errno: ENOENT), error != .replaced else { return nil }
                    return .init(path: file.path, reason: error.reason)
                }
            }
            return (problems.withLock { $0 } + later).sorted { $0.path < $1.path }
        }
    }
}
