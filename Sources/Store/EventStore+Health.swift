extension EventStore {
    /// Less than this on the disk is as good as none.
    private static let leastRoom: UInt64 = 64 << 10

    /// The damage that was met in the file since it was opened, by whatever call; `nil` when none was. What does not
    /// need the damaged part works on.
    package var damage: StoreError? { database.damage.error }

    /// That the disk has no room, whether or not something was to be written; `nil` when it has.
    package var shortage: StoreError? {
        guard let room = database.file.availableBytes, room < Self.leastRoom else { return nil }
        return StoreError(
            kind: .full, description: "the disk of \(database.file.path) is full: \(room) bytes are left",
            hint: StoreError.fullHint)
    }
}
