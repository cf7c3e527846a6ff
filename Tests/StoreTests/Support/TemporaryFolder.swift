import Foundation

/// Makes a folder of its own for `body` and removes it behind it; in memory where there is such a place, since disks
/// take their time to sync.
func withStoreFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    let folder = place + "/gloss-store-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Runs a program to its end.
/// - Returns: its exit status.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
