package import API
package import Model
internal import Settings
internal import Store

extension AlertKeeper {
    /// The most that is found.
    package static let mostTried = 1000

    /// Returns a rule: of the settings, or of a text that has rules as the settings do.
    /// - Parameters:
    ///   - file: what the text is called.
    ///   - predicates: those that have names.
    /// - Throws: `Problem` if there is no such rule, it has no meaning, or the text has errors.
    package func rule(
        _ name: String, in text: String?, file: String, predicates: [ExactString: ExactString]
    ) throws(Problem) -> AlertRule {
        guard let text else {
            let rule = try known(name).rule
            if let fault = rule.fault(meanings) { throw Self.unusable(fault) }
            return rule
        }
        do throws(SettingsError) {
            let rules = try AlertRule.rules(yaml: text, file: file, predicates: predicates)
            if let (rule, line) = rules.first(where: { $0.rule.name == name }) {
                guard let fault = rule.fault(meanings) else { return rule }
                throw SettingsError(problems: [.init(file: file, line: line, message: "alert \(name): \(fault)")])
            }
        } catch {
            throw Problem(status: 422, title: "The rules have errors", detail: error.description)
        }
        throw Problem(status: 404, title: "No such alert", detail: "there is no alert \(name) in \(file)")
    }

    /// Finds out which notices a rule would have sent about stored events.
    /// - Parameter since: notices before it do not count, in microseconds since 1970.
    /// - Throws: `Problem` if it has no meaning; `StoreError`.
    package func tried(_ rule: AlertRule, since: UInt64) async throws -> [AlertNotice] {
        do {
            let trial = AlertTrial(
                rule: rule, group: try rule.group(meanings),
                protection: meanings.protection(of: rule.keys, in: rule.predicate), since: since)
            var notices = try await trial.run(on: store, until: clock())
            let latest = LatestEvent(of: rule, store, meanings)
            for place in notices.indices.prefix(LatestEvent.mostNotices) {
                try Task.checkCancellation()
                notices[place] = await latest.shown(in: notices[place])
            }
            return notices
        } catch let fault as PredicateFault {
            throw Self.unusable(fault.reason)
        }
    }

    private static func unusable(_ fault: String) -> Problem {
        Problem(status: 422, title: "The alert cannot be used", detail: fault)
    }
}
