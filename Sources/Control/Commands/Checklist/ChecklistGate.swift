import API
import ArgumentParser
import Model

/// The options that switch off what makes a result uncertain, each for itself.
struct ChecklistGateOptions: ParsableArguments {
    @Flag(name: .long, help: "Pass even if glossd has not read what was sent before the command.")
    var allowBehind = false

    @Flag(name: .long, help: "Pass even if no event was looked at.")
    var allowEmpty = false

    @Flag(name: .long, help: "Pass even if entries of the range are missing.")
    var allowGaps = false

    @Flag(name: .long, help: "Pass even if an event of the list, or a name in its predicate, is unknown.")
    var allowUnknown = false

    @Flag(name: .long, help: "Pass even if the predicate selects times to come.")
    var allowFuture = false

    @Flag(name: .long, help: "Pass even if no event of a source of the settings is stored.")
    var allowIdle = false
}

extension ChecklistReply {
    /// Whether it cannot count. A run that was stopped still counts what was sent before.
    var isHeld: Bool { state == .held || reason != nil }
}

/// Finds out whether the result of a run is certain. It fails closed: what is not known does not pass.
struct ChecklistGate {
    /// Why a result is not certain.
    struct Reason: Equatable {
        enum Name: String { case held, behind, empty, gaps, unknown, future, idle }

        var name: Name
        var text: String

        init(_ name: Name, _ text: String) {
            self.name = name
            let reason = "\(name.rawValue): \(text)"
            self.text = name == .held ? reason : Gate.allowing(reason, by: name.rawValue)
        }
    }

    let options: ChecklistGateOptions
    let zone: Zone

    /// - Parameters:
    ///   - scope: `nil` if nothing can be looked at.
    ///   - behind: why the daemon has not read all.
    func reasons(_ reply: ChecklistReply, _ scope: ChecklistScope?, behind: String?) -> [Reason] {
        var reasons: [Reason] = []
        if reply.isHeld {
            reasons.append(
                Reason(.held, "nothing is counted: \(SafeText.neutralisedLine(reply.reason ?? "no reason"))"))
        }
        if let behind, !options.allowBehind { reasons.append(Reason(.behind, behind)) }
        if let uncounted = reply.uncounted, !reply.isHeld, !options.allowBehind {
            reasons.append(Reason(.behind, uncounted))
        }
        if !options.allowUnknown {
            for item in reply.items where !item.isDefined {
                let hint = item.meant.map { "; \($0)" } ?? ""
                reasons.append(
                    Reason(.unknown, "\(SafeText.neutralised(item.event)): no dictionary defines this event\(hint)"))
            }
        }
        guard let scope else { return reasons }
        if scope.beginsInFuture, !options.allowFuture {
            reasons.append(Reason(.future, "the predicate selects only times to come"))
        }
        if EventSums(scope.scope.events).total == 0, !options.allowEmpty {
            reasons.append(Reason(.empty, "no events were looked at: none match the filter"))
        }
        if !options.allowGaps { reasons += scope.scope.texts.missing(zone).map { Reason(.gaps, $0) } }
        if !options.allowUnknown { reasons += scope.scope.texts.unknownNames.map { Reason(.unknown, $0) } }
        if !options.allowIdle {
            reasons += scope.idleSources.map { source in
                let name = SafeText.neutralised(source)
                return Reason(.idle, "no event of the source \(name) is stored: none came, or all were removed")
            }
        }
        return reasons
    }
}

extension ChecklistReply {
    /// What has been sent but not counted; `nil` if all is.
    var uncounted: String? {
        behind > 0 ? "\(Quantity.count(behind, "stored event")) not counted yet" : nil
    }
}
