import TestSupport

extension PrivateJournald {
    /// Writes an entry for each number, with the payload `{"number":…}`.
    func sendNumbers(_ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            try send([
                "SUBSYSTEM": "com.example.shop", "CATEGORY": "Other", "MESSAGE": "{\"number\":\(number)}",
            ])
        }
    }
}
