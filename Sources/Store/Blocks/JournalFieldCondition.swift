internal import Model

/// A condition on a field of the events' journal entries, which are read for it.
struct JournalFieldCondition {
    let field: String
    let matcher: TextMatcher

    func select(_ events: some EventColumns, _ selection: inout [Int], until turn: ReadTurn?) throws {
        guard let turn, let journal = turn.journal else {
            throw StoreError(kind: .failed, description: "journal.\(field) cannot be read here")
        }
        let places = try events.places(of: selection)
        var found: [Int] = []
        do {
            try journal.forEachValue(of: field, at: places, while: { !turn.isCancelled }) { entry, value in
                // An entry may have several values.
                guard found.last != selection[entry], try matcher.accepts(value, until: turn) else { return }
                found.append(selection[entry])
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(kind: .failed, description: "journal.\(field): the journal cannot be read: \(error)")
        }
        selection = found
    }
}
