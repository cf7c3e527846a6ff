import Glibc
import Linux
package import Model
import Synchronization

/// Reads a journal again, up to where it was read before, to compare it with what was stored.
package final class JournalAudit: Sendable {
    /// The amount of work.
    package struct Extent: Sendable, Hashable {
        /// The number of entries to compare.
        package var entries: UInt64
        /// The number of entries in the files that are not read yet.
        package var unread: UInt64
    }

    private let queue = WorkQueue("gloss.journal.audit")
    private let limit = BatchLimit()
    private let folders: JournalFolders
    private let state: ReadingState
    /// The files. They are used only on `queue`, one call at a time, so the mutex never blocks.
    private let files: Mutex<FileSet>
    /// The numbers that no file of a boot has, as far as was read; boots that are forgotten in the meantime are kept.
    private let found = Mutex<[BootOfMachine: [JournalHole]]>([:])
    /// The files and folders that could not be read at the beginning.
    private let problems = Mutex<[JournalHealth.Problem]>([])

    /// - Parameters:
    ///   - state: how far the journal was read.
    ///   - since: the time before which entries are skipped, in microseconds since 1970.
    package init(options: JournalOptions, rules: [SourceRule], state: ReadingState, since: UInt64) {
        folders = JournalFolders(options.location)
        self.state = state
        let start = ReadingState(startMicroseconds: max(state.startMicroseconds, since))
        files = Mutex(FileSet(rules: rules, options: options, from: start, correctsStart: false))
    }

    /// Finds the files. Call it once, before everything else.
    package func begin() async -> Extent {
        await queue.run { [self] in
            let look = folders.look()
            return files.withLock { files in
                let faults = files.scan(look.files, isWhole: look.problems.isEmpty).filter(isReportable)
                problems.withLock { problems in
                    problems =
                        look.problems + look.unreadable
                        + faults.map { .init(path: $0.path, reason: $0.error.reason) }
                }
                let all = files.unread
                files.end(at: state.files)
                let entries = files.unread
                return Extent(entries: entries, unread: all - min(all, entries))
            }
        }
    }

    /// Whether a problem is reported. A file that is too short may be one that journald is just creating, unless it was
    /// read before.
    private func isReportable(_ problem: FileSet.Problem) -> Bool {
        problem.error != .incomplete || state.files.contains { $0.path == problem.path }
    }

    /// Returns the next entries.
    /// - Returns: `nil` when there are no more.
    package func nextBatch() async -> EntryBatch? {
        await queue.run { [self] in
            files.withLock { files in
                var batch = EntryBatch()
                files.read(limit, into: &batch)
                noteHoles(files)
                // Nobody saves the progress, but the changes stay in memory until they are taken, and no boot is
                // forgotten.
                _ = files.takeProgress()
                return batch.entriesRead > 0 || !batch.gaps.isEmpty || !batch.reachedEnd ? batch : nil
            }
        }
    }

    private func noteHoles(_ files: FileSet) {
        found.withLock { found in
            for (boot, holes) in files.chains.takeChangedHoles() { found[boot] = holes.isEmpty ? nil : holes }
        }
    }

    /// Returns the numbers that no file has. Call it after the last batch.
    package func holes() async -> [JournalHole] {
        await queue.run { [self] in
            files.withLock { noteHoles($0) }
            return found.withLock { found in
                found.values.flatMap(\.self).sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
            }
        }
    }

    /// Returns the files and folders that could not be read, or not to their ends, except those that were deleted in
    /// the meantime. Call it after the last batch.
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
