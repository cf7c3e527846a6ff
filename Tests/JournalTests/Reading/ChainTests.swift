import Model
import Testing

@testable import Journal

@Suite struct ChainTests {
    private func id(_ seqnumID: UInt64, boot: UInt64 = 1, machine: UInt64 = 1) -> ChainID {
        ChainID(
            machineID: ID128(high: 0, low: machine), seqnumID: ID128(high: 0, low: seqnumID),
            bootID: ID128(high: 0, low: boot))
    }

    @Test func `a hole is suspicious as far as no other chain of that machine and boot has its numbers`() {
        var chains = Chains()
        chains[id(1)].numbers = NumberRanges([1...10, 21...30, 41...50])
        // A user's files, numbered by the same counter; another boot; another machine.
        chains[id(2)].numbers = NumberRanges([11...14, 16...20])
        chains[id(1, boot: 2)].numbers = NumberRanges([1...100])
        chains[id(3, machine: 2)].numbers = NumberRanges([1...100])
        let found = chains.suspicions().sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
        #expect(found.map(\.numbers) == [15...15, 31...40])
        #expect(found.allSatisfy { $0.machineID == id(1).machineID && $0.bootID == id(1).bootID })
    }
}
