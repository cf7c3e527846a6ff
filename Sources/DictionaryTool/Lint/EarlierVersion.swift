import Definitions
import Foundation
import Model

/// The files of a dictionary as they were: in another folder, or at a revision of the git repository that the folder
/// is in.
enum EarlierVersion {
    /// - Parameters:
    ///   - folder: the dictionary's.
    ///   - reference: a folder, or what git takes for a revision.
    static func files(of folder: String, at reference: String) throws(CommandFailure) -> [DefinitionFile] {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: reference, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw failure("--against \(reference) is a file: name a folder of definitions, or a revision of git")
            }
            do {
                return try DictionaryFolder.files(in: reference)
            } catch {
                throw failure("--against \(reference) cannot be read:\n\(error)")
            }
        }
        let git = try Git(folder: folder)
        return try git.files(at: reference)
    }

    static func failure(_ message: String) -> CommandFailure { CommandFailure(.wrongUsage, message) }
}
