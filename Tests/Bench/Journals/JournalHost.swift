/// The machine that an entry says it is from.
struct JournalHost: Sendable {
    let number: Int
    /// Which of its boots.
    var boot = 0

    var name: String { "bench\(number)" }
    var bootID: String {
        let boot = String(boot, radix: 16)
        return "4d5f7b2c1a9e4c0d8f3b6a7\(String(repeating: "0", count: 8 - boot.count))\(boot)\(number)"
    }
    var machineID: String { "0b1c2d3e4f5061728394a5b6c7d8e9f\(number)" }
}
