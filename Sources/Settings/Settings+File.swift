import Foundation
import Glibc
import Model

extension Settings {
    /// Reads a settings file. It blocks.
    /// - Parameters:
    ///   - environment: the environment, for `CREDENTIALS_DIRECTORY`.
    ///   - check: finds what else is wrong with what could be read, and is told whether that is all.
    /// - Throws: `SettingsError` for a file that cannot be read, or with every problem that was found in it.
    package init(
        file: String, environment: [String: String],
        check: (_ settings: Settings, _ isWhole: Bool) -> [SettingsFault] = { _, _ in [] }
    ) throws(SettingsError) {
        let text: String
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw SettingsError(problems: [.init(file: file, message: Self.unreadable(file))])
        }
        try self.init(yaml: text, file: file, environment: environment, check: check)
    }

    private static func unreadable(_ path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT
                ? "there is no such file; --config says where the settings are"
                : "cannot be read: \(errnoText(errno)); --config says where the settings are"
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return access(path, R_OK) == 0 ? "not a UTF-8 text" : "not readable by this user"
        case S_IFDIR:
            let file = path.hasSuffix("/") ? "\(path)gloss.yaml" : "\(path)/gloss.yaml"
            return "this is a folder; name the settings file in it, such as --config \(file)"
        default: return "this is no regular file; name the settings file"
        }
    }
}
