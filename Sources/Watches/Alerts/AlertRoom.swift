/// What more may be kept.
struct AlertRoom {
    /// Less than none, if it has become smaller.
    var bytes: Int
    /// What new causes leave for the events of those that are there, or no condition might be met for want of room.
    let reserve: Int
    /// Whether something was left out.
    var isCut = false

    init(of most: Int, without kept: Int) { (bytes, reserve) = (most - kept, most / 10) }

    /// - Returns: whether there was room.
    mutating func take(_ count: Int, leaving rest: Int = 0) -> Bool {
        guard count <= bytes - rest else {
            isCut = true
            return false
        }
        bytes -= count
        return true
    }
}
