internal import GRDB
package import Model
internal import Synchronization

extension EventStore {
    /// From the next event on, events are found quickly by the values of these parameters. Those that are stored already
    /// are found as well, but they are looked at one by one where their block was completed without these names.
    package func index(parameters: Set<ExactString>) async throws(StoreError) {
        try await change { [self] db, state in
            let index = ParameterIndex(names: parameters)
            guard index.names != state.block.index.names else { return }
            state.block = try OpenBlock(db, lastEventID: state.lastEventID, index: index)
            indexed.withLock { $0 = parameters }
        }
    }
}
