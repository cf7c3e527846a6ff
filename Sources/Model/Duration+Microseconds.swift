extension Duration {
    /// The duration in whole microseconds; 0 if it is negative.
    package var wholeMicroseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        return UInt64(seconds).times(clamped: 1_000_000).plus(clamped: UInt64(attoseconds / 1_000_000_000_000))
    }
}
