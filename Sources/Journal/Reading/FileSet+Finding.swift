import Glibc
import Model

// MARK: finding files
extension FileSet {
    /// A file that cannot be read, and why.
    struct Problem: Equatable {
        @Exact var path: String
        var error: FormatError
    }

    /// What a scan has found so far.
    private struct Scan {
        var problems: [Problem] = []
        /// Whether all files were looked for.
        var isWhole: Bool
        /// Where each file is.
        var found: [ID128: String] = [:]
        /// Files that are to be read.
        var new: [ID128: JournalFile] = [:]
        /// Copies that have more entries than the files that are read, or in which these continue.
        var newer: [ID128: JournalFile] = [:]
    }

    /// Updates the list of files.
    /// - Parameters:
    ///   - paths: the paths of all files.
    ///   - isWhole: whether the list is complete. It is not if there are folders that cannot be read.
    /// - Returns: the files that cannot be read.
    func scan(_ paths: [String], isWhole: Bool = true) -> [Problem] {
        var scan = Scan(isWhole: isWhole)
        hasCopyOfDeleted = false
        let before = seen
        seen = [:]
        let known = Dictionary(files.map { ($0.header.fileID, $0) }, uniquingKeysWith: { $1 })
        for path in paths {
            do throws(FormatError) {
                let (id, opened) = try identify(path, before, known)
                if let file = known[id] {
                    compare(file, with: opened, at: path, &scan)
                } else {
                    let file = if let opened { opened } else { try JournalFile(path) }
                    noteNew(id, file, &scan)
                }
            } catch {
                // It was renamed or deleted during the scan.
                if error == .io(errno: ENOENT) {
                    scan.isWhole = false
                } else {
                    scan.problems.append(Problem(path: path, error: error))
                }
            }
        }
        useFound(&scan, known)
        noteMissing(&scan)
        return scan.problems
    }

    /// Of several copies one is read: the one with the most entries, or else the one that was read before.
    private func compare(_ file: JournalFile, with opened: JournalFile?, at path: String, _ scan: inout Scan) {
        let id = file.header.fileID
        if let opened, file.isOlder(than: opened) || file.isContinued(by: opened),
            scan.newer[id].map({ $0.isOlder(than: opened) }) ?? true
        {
            if scan.newer.count >= Self.maximumOpenFiles / 2 { opened.close() }
            scan.newer[id] = opened
            scan.found[id] = path
        } else if scan.newer[id] == nil, scan.found[id] == nil || file.path.isExactly(path) {
            if let opened { file.giveWay(to: opened) }
            // The copy is examined again, since it may be written to from now on.
            if file.path.isExactly(path), file.hasNoName, JournalFile.isArchived(path), file.unread == 0 {
                // Nobody writes to an archived file.
                file.close()
            } else if file.path.isExactly(path), file.hasNoName {
                hasCopyOfDeleted = true
                seen[ExactString(path)] = nil
            }
            scan.found[id] = path
        }
    }

    private func noteNew(_ id: ID128, _ file: JournalFile, _ scan: inout Scan) {
        if scan.new.count >= Self.maximumOpenFiles / 2 { file.close() }
        if let other = scan.new[id], other.header.entryCount >= file.header.entryCount { return }
        scan.found[id] = file.path
        scan.new[id] = file
    }

    /// - Parameter known: the files that were read before the scan.
    private func useFound(_ scan: inout Scan, _ known: [ID128: JournalFile]) {
        // A known file keeps its place under any name.
        for (id, path) in scan.found where scan.newer[id] == nil { known[id]?.rename(to: path) }
        for (id, file) in scan.newer {
            // It continues where the other was read to.
            if let other = known[id] { leave(other) }
            scan.new[id] = file
        }
        // Those that were read before come first, because the start may be corrected by them.
        let order = scan.new.sorted { one, other in
            let (isKnown, isOtherKnown) = (saved[one.key] != nil, saved[other.key] != nil)
            return isKnown == isOtherKnown ? one.value.path < other.value.path : isKnown
        }
        for (_, file) in order {
            do throws(FormatError) {
                try add(file)
            } catch {
                scan.problems.append(Problem(path: file.path, error: error))
            }
        }
    }

    private func noteMissing(_ scan: inout Scan) {
        for file in files {
            let isFound = scan.found[file.header.fileID] != nil
            file.note(
                isFound: isFound, isAtPath: isFound || seen[ExactString(file.path)] == nil,
                hasSuccessor: !isFound
                    && files.contains { $0.isWrittenInstead(of: file) && scan.found[$0.header.fileID] != nil })
            if let problem = file.problem, !scan.problems.contains(where: { $0.path.isExactly(file.path) }) {
                scan.problems.append(Problem(path: file.path, error: problem))
            }
            // It is tried again.
            file.problem = nil
        }
        removeDeleted()
        if scan.isWhole && !scan.problems.contains(where: \.error.mayPass) {
            forgetSaved(except: Set(exact: scan.problems.map(\.path)))
        } else {
            missedBefore = []
        }
    }

    /// Whether files that were read earlier were not found for the first time: another scan finds them, or forgets them.
    var hasMissed: Bool { !missedBefore.isEmpty }

    /// Whether deleted files are still open.
    var hasDeleted: Bool { hasCopyOfDeleted || files.contains { $0.isDeleted && $0.isOpen } }

    /// Identifies the file at the path. An archived file is not opened again while it seems unchanged.
    /// - Returns: its id and, if it had to be opened for that, the file.
    private func identify(
        _ path: String, _ before: [ExactString: SeenFile], _ known: [ID128: JournalFile]
    ) throws(FormatError) -> (ID128, JournalFile?) {
        let stamp = try OpenFile.stamp(path: path)
        if let last = before[ExactString(path)], isSame(last, stamp, path, known[last.fileID]) {
            seen[ExactString(path)] = SeenFile(stamp: stamp, fileID: last.fileID)
            return (last.fileID, nil)
        }
        let file = try JournalFile(path)
        seen[ExactString(path)] = SeenFile(stamp: stamp, fileID: file.header.fileID)
        return (file.header.fileID, file)
    }

    /// Whether a path still has the same file. If the file is open and being written to, each reading of its header
    /// shows whether another file was written over it.
    private func isSame(_ seen: SeenFile, _ stamp: FileStamp, _ path: String, _ file: JournalFile?) -> Bool {
        guard !JournalFile.isArchived(path) else { return seen.stamp == stamp }
        guard let file, file.isOpen else { return false }
        return seen.stamp.device == stamp.device && seen.stamp.inode == stamp.inode && file.path.isExactly(path)
    }

    private func add(_ file: JournalFile) throws(FormatError) {
        let id = file.header.fileID
        if let position = saved[id], try file.resume(at: position) {
            // An older copy has fewer than were promised.
            noteRest(of: position, behind: file.header.entryCount, replacedBy: file.header)
        } else {
            // Asked for now, the clock is no older than the entries that the header counts.
            correctStart()
            file.begin()
            if let position = saved[id] { noteRest(of: position, replacedBy: file.header) }
        }
        saved[id] = nil
        forgotten.remove(id)
        files.append(file)
        closeSome()
    }

    /// If the start is in the future, because the clock was set back since, begins behind what was read by then: what was
    /// written since the clock was set back would be skipped. If nothing was read whose time has come, everything is new.
    private func correctStart() {
        let now = clock()
        guard correctsStart, start > now else { return }
        let last = files.compactMap { $0.position.last } + saved.values.compactMap(\.last)
        // What is not passed yet will be.
        let times = last.map(\.cursor.realtimeMicroseconds) + files.map(\.tailAtBegin)
        start = times.filter { $0 > 0 && $0 < now }.max().map { $0 + 1 } ?? 0
    }

    /// Reads the file that is now in the place of another if it is an older copy of that.
    private func readCopy(inPlaceOf file: JournalFile) throws(FormatError) {
        let copy = try JournalFile(file.path)
        guard copy.header.fileID == file.header.fileID else { return }
        leave(file)
        try add(copy)
    }

    /// Stops reading a file, which another copy continues.
    private func leave(_ file: JournalFile) {
        saved[file.header.fileID] = file.position
        files.removeAll { $0 === file }
        file.close()
    }

    /// Removes the files that are gone. A file that is open is still read to its end; the rest of any other file is
    /// lost.
    private func removeDeleted() {
        for file in files where file.isDeleted && !file.isOpen && file.unread > 0 {
            let isOld = file.isUnwanted(before: start)
            if let loss = file.giveUp(), !isOld { note(loss, of: file.position, index: 0, &gaps) }
        }
        for file in files where file.isDone { forget(file.position, isWhole: file.isComplete) }
        files.removeAll(where: \.isDone)
    }

    /// - Parameter isWhole: whether it is known how many entries the file had.
    private func forget(_ position: FilePosition, isWhole: Bool) {
        forgotten.insert(position.fileID)
        guard let last = position.last else { return }
        if !isWhole {
            let end = max(last.cursor.seqnum, position.promisedSeqnums?.upperBound ?? 0)
            for chain in chains.ofFile(position) { chain.noteOpenEnd(at: end) }
        }
        if lastOfGone.count >= Self.maximumOpenFiles { lastOfGone.removeFirst() }
        lastOfGone.append(last.cursor)
    }

    /// Forgets files that were read earlier and are gone: the entries that their headers counted and that were not read
    /// are missing.
    /// - Parameter damaged: the paths of files that can no longer be read.
    private func forgetSaved(except damaged: Set<ExactString>) {
        let missed = saved.filter { !damaged.contains(ExactString($0.value.path)) }
        // A file has no name for a moment while it is renamed.
        defer { missedBefore = Set(missed.keys).intersection(saved.keys) }
        for (id, position) in missed where missedBefore.contains(id) {
            defer {
                forget(position, isWhole: JournalFile.isArchived(position.path))
                saved[id] = nil
            }
            noteRest(of: position)
        }
    }

    /// Notes as lost what a file had that is gone and was not read to its end.
    /// - Parameters:
    ///   - end: the number of its entries that an older copy has.
    ///   - copy: the header of what is in its place.
    private func noteRest(of position: FilePosition, behind end: UInt64 = 0, replacedBy copy: FileHeader? = nil) {
        let end = max(position.entries, end)
        guard position.promisedEntries > end else { return }
        let count = position.promisedEntries - end
        var numbers = position.promisedSeqnums
        if let last = position.last?.cursor.seqnum, let promised = numbers {
            numbers = last < promised.upperBound ? last + 1...promised.upperBound : nil
        }
        var loss = FileLoss(
            cause: .deleted, count: count, range: position.offset..<position.offset, from: position.last?.cursor,
            numbers: numbers.flatMap { FileLoss.plausible($0, count: count) })
        // Other entries of a copy do not show that the file has returned.
        if let last = position.promisedSeqnums?.upperBound, copy?.seqnums.map({ $0.upperBound < last }) ?? true {
            loss.lastSeqnum = last
        }
        note(loss, of: position, index: 0, &gaps)
    }

    /// Reads the headers again, to see which files have more entries.
    func look() {
        for file in files where !file.isComplete && (file.isOpen || !file.isDeleted) {
            do throws(FormatError) {
                try file.look()
            } catch  where file.isDeleted && (!error.mayPass || error == .io(errno: ESTALE)) {
                // journald, or who deleted it, has removed its content.
                if file.unread == 0 { file.close() }
            } catch {
                // The next scan finds a file that was archived or deleted a moment ago.
                if ![.replaced, .incomplete, .io(errno: ENOENT)].contains(error) { file.problem = error }
                if error == .replaced {
                    seen[ExactString(file.path)] = nil
                    // If it cannot be read at the moment, the next scan finds it.
                    try? readCopy(inPlaceOf: file)
                }
            }
            closeSome()
        }
        correctStart()
    }

    /// Closes some files: first those that are not being read, then those whose turn comes last. A deleted file cannot
    /// be opened again, so it is closed last.
    func closeSome() {
        guard files.count > Self.maximumOpenFiles else { return }
        let open = files.filter(\.isOpen)
        guard open.count > Self.maximumOpenFiles else { return }
        func rank(_ file: JournalFile) -> Int {
            file.isDeleted ? file.unread > 0 ? 3 : 2 : file.isBeingRead ? 1 : 0
        }
        let order = open.sorted { (rank($0), $1.nextTime) < (rank($1), $0.nextTime) }
        for file in order.prefix(open.count - Self.maximumOpenFiles) { file.close() }
    }
}

/// The file that was at a path.
struct SeenFile {
    var stamp: FileStamp
    var fileID: ID128
}
