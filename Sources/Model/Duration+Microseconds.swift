extension Duration {
    /// The duration in whole microseconds; 0 if it is negative.
    package var wholeMicroseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooLarge) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
        return overflow || isTooLarge ? .max : sum
    }
}
