import Foundation

/// Runs `body` with a new folder, and removes it afterwards. The folder is in memory where that is possible, since
/// disks take time to sync.
func withStoreFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    let folder = place + "/gloss-store-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Runs a program and waits for its end.
/// - Returns: Its exit status.
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
