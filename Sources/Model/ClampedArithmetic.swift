/// Arithmetic of numbers that are not negative and come from outside: where the result is too large, it is the largest number.
extension FixedWidthInteger {
    package func plus(clamped other: Self) -> Self {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    package func times(clamped other: Self) -> Self {
        let (product, isTooLarge) = multipliedReportingOverflow(by: other)
        return isTooLarge ? .max : product
    }
}

extension Duration {
    /// The duration in whole microseconds; 0 if it is negative.
    package var wholeMicroseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        return UInt64(seconds).times(clamped: 1_000_000).plus(clamped: UInt64(attoseconds / 1_000_000_000_000))
    }
}
