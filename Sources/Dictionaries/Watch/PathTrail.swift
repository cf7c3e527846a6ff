import Glibc
import Model

/// Where a path leads, link by link, and which names have to change for it to lead elsewhere.
struct PathTrail: Equatable {
    /// A name in a folder whose path has no links and no dots.
    struct Step: Hashable {
        @Exact var folder: String
        @Exact var name: String
    }

    /// The links on the way, and the last name, which may not exist.
    private(set) var steps: [Step] = []
    /// The path without links; `nil` when it leads nowhere.
    @Exact private(set) var end: String?

    /// The number of links that the kernel follows.
    private static let maximumLinks = 40

    /// - Parameter path: absolute, or relative to the working folder.
    init(_ path: String) {
        var rest = Self.parts(of: path)
        var place = ""
        if !path.hasPrefix("/") { rest += Self.parts(of: Self.workingFolder) }
        var links = 0
        while let name = rest.popLast() {
            if name == ".." {
                place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
                continue
            }
            let step = Step(folder: place.isEmpty ? "/" : place, name: name)
            let status = Self.status("\(place)/\(name)")
            guard let status, status.st_mode & S_IFMT == S_IFLNK else {
                if status == nil || rest.isEmpty { steps.append(step) }
                if status == nil { return }
                place += "/\(name)"
                continue
            }
            steps.append(step)
            links += 1
            guard links <= Self.maximumLinks, let target = Self.target("\(place)/\(name)") else { return }
            if target.hasPrefix("/") { place = "" }
            rest += Self.parts(of: target)
        }
        end = place.isEmpty ? "/" : place
    }

    /// Reversed, so that the next part is the last element.
    private static func parts(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static func target(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
