/// The machine that an entry says it is from.
struct JournalHost: Sendable {
    let number: Int

    var name: String { "bench\(number)" }
    var bootID: String { "4d5f7b2c1a9e4c0d8f3b6a7e5d2c1b0\(number)" }
    var machineID: String { "0b1c2d3e4f5061728394a5b6c7d8e9f\(number)" }
}
