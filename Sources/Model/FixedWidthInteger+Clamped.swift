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
