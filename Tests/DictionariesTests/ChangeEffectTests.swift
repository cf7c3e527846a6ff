import Definitions
import Foundation
import Model
@testable import Store
import TestSupport
import Testing

@testable import Dictionaries

/// What a change of a dictionary, written as its files, may change about stored events.
struct ChangeEffectTests {
    private func dictionary(
        _ text: String, common: String = "- session_id: !string\n",
        _ change: (inout DictionaryOptions) -> Void = { _ in }
    ) throws -> EventDictionary {
        var options = DictionaryOptions(name: "shop", path: "/nowhere", subsystem: Glob("com.example.*"))
        change(&options)
        let files = [("common.md", common), ("recipe.md", "# recipe\n\n" + text)]
        return try DictionaryParser.parse(
            files.map { DefinitionFile(name: $0, bytes: Array($1.utf8)) }, options: options
        ).dictionary
    }

    private func kind(
        _ resolution: Resolution, _ name: String?, of dictionary: EventDictionary, version: String? = nil,
        named: String? = "shop", subsystem: String = "com.example.shop"
    ) -> StoredKind {
        StoredKind(
            subsystem: subsystem, category: "ActivityLog", resolution: resolution,
            kind: EventKind(
                dictionary: named, definitionsVersion: version ?? dictionary.version,
                key: name.map { EventKey(category: "recipe", name: $0) }))
    }

    /// What the version was, as the options of `now` read it.
    private func past(_ before: EventDictionary, _ now: EventDictionary, _ text: String? = nil) throws
        -> ChangeEffect.Past
    {
        let record = DictionaryVersion(
            version: before.version, loadedMicroseconds: 1, lastLoadedMicroseconds: 1, definitions: 1,
            key: before.options.layout.key, layout: before.options.layoutText,
            extraParameters: before.options.extraParameters.text, hasFiles: true)
        let read = try text.map { text in try dictionary(text) { $0 = now.options } } ?? before
        return ChangeEffect.Past(read, record: record, now: now)
    }

    private let one = "## show\n- item: !bigint\n"

    @Test func `an undefined event is concerned when its definition has come`() throws {
        let before = try dictionary(one)
        let now = try dictionary(one + "\n## tap\n- item: !bigint\n")
        let effect = ChangeEffect([now], privacy: .protect)
        let past = try past(before, now)
        #expect(effect.concerns(kind(.undefined, "tap", of: before), past: past))
        #expect(!effect.concerns(kind(.undefined, "tip", of: before), past: past))
        #expect(!effect.concerns(kind(.violating, "show", of: before), past: past))
        #expect(!effect.concerns(kind(.unkeyed, nil, of: before), past: past))
        #expect(!effect.concerns(kind(.resolved, "show", of: before), past: past))
        #expect(!effect.concerns(kind(.plain, nil, of: before), past: past))
        #expect(!effect.concerns(kind(.malformed, nil, of: before), past: past))
    }

    @Test func `what was resolved with the current version is not concerned`() throws {
        let now = try dictionary(one)
        let effect = ChangeEffect([now], privacy: .protect)
        for resolution in Resolution.allCases {
            #expect(!effect.concerns(kind(resolution, "show", of: now), past: nil))
        }
        #expect(effect.comparison(for: kind(.violating, "show", of: now)) == nil)
    }

    @Test(
        arguments: [
            "## show\n- item: !integer\n", "## show\n- item: !bigint?\n", "## show\n- item: !bigint\n- more: !string\n",
            "## [obsolete] show\n- item: !bigint\n", "- col: !string\n\n## show\n- item: !bigint\n",
            "## other\n\nText.\n",
            "## show\n- item: !bigint\n    - values: 1, 2\n",
        ])
    func `a violating event is concerned when its definition differs`(text: String) throws {
        let (before, now) = (try dictionary(one), try dictionary(text))
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.comparison(for: kind(.violating, "show", of: before))?.version == before.version)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `a violating event is concerned when a common parameter differs`() throws {
        let (before, now) = (try dictionary(one), try dictionary(one, common: "- session_id: !string?\n"))
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `a violating event is concerned when a parameter moves to another list`() throws {
        let (before, now) = (try dictionary(one), try dictionary("## show\nText.\n", common: both))
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    private let both = "- session_id: !string\n- item: !bigint\n"

    @Test func `what common parameters permit counts beside the object with those of an event`() throws {
        let text = "## show\nextra parameters: refused\n\n- item: !bigint\n"
        let before = try dictionary(text)
        let now = try dictionary(text, common: "extra parameters: allowed\n\n- session_id: !string\n")
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `a violating event is concerned when parameters of one name change places`() throws {
        let before = try dictionary("- item: !bigint\n\n## show\n- item: !string\n")
        let now = try dictionary("- item: !string\n\n## show\n- item: !bigint\n")
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `a line about extra parameters counts, whichever names the settings allow`() throws {
        let before = try dictionary(one) { $0.extraParameters = .named(["log_id"]) }
        let now = try dictionary("## show\nextra parameters: allowed\n\n- item: !bigint\n") {
            $0.extraParameters = .named(["log_id"])
        }
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `words and lines are no difference`() throws {
        let before = try dictionary(one)
        let now = try dictionary(
            "Text.\n\n## show\nMore text.\n\n- item: !bigint\n    - The id\n    - user\n")
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(before.version != now.version)
        #expect(!effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `another meaning of a custom type concerns the definitions that have one`() throws {
        let text = "## show\n- order: Order\n\n## tap\n- item: !bigint\n"
        let before = try dictionary(text) { $0.types = ["Order": .values(["new"])] }
        let now = try dictionary(text) { $0.types = ["Order": .values(["new", "old"])] }
        let effect = ChangeEffect([now], privacy: .protect)
        let past = try past(before, now, text)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: past))
        #expect(!effect.concerns(kind(.violating, "tap", of: before), past: past))
    }

    @Test func `other payload keys concern everything that was not understood`() throws {
        let before = try dictionary(one)
        let now = try dictionary(one) { $0.layout.name = .member(MemberPath("name")) }
        let effect = ChangeEffect([now], privacy: .protect)
        let past = try past(before, now, one)
        for resolution in [Resolution.undefined, .unkeyed, .violating, .malformed] {
            #expect(effect.concerns(kind(resolution, "show", of: before), past: past))
        }
        #expect(!effect.concerns(kind(.resolved, "show", of: before), past: past))
    }

    @Test func `other extra parameters concern what violated`() throws {
        let before = try dictionary(one)
        for extra in [ExtraParameters.all, .named(["log_id"])] {
            let now = try dictionary(one) { $0.extraParameters = extra }
            let effect = ChangeEffect([now], privacy: .protect)
            #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now, one)))
            #expect(!effect.concerns(kind(.resolved, "show", of: before), past: try past(before, now, one)))
        }
        let now = try dictionary("## show\nextra parameters: allowed\n\n- item: !bigint\n")
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.violating, "show", of: before), past: try past(before, now)))
    }

    @Test func `an event with a new name in payloads concerns what was sent under it, and under the old one`() throws {
        let before = try dictionary(one)
        let now = try dictionary("## show\nsent as: Recipe Shown\n\n- item: !bigint\n")
        let effect = ChangeEffect([now], privacy: .protect)
        let past = try past(before, now)
        #expect(effect.concerns(kind(.undefined, "Recipe Shown", of: before), past: past))
        #expect(effect.concerns(kind(.violating, "show", of: before), past: past))
        #expect(!effect.concerns(kind(.undefined, "show", of: before), past: past))
    }

    @Test func `an event that a rule names is concerned when its definition comes, whatever payloads call it`() throws {
        let source: (inout DictionaryOptions) -> Void = {
            $0.layoutOfSource = ["nginx": PayloadLayout(category: .fixed("recipe"), name: .fixed("tap"))]
        }
        let before = try dictionary(one, source)
        let now = try dictionary(one + "\n## tap\nsent as: Recipe Tapped\n\n- item: !bigint\n", source)
        let effect = ChangeEffect([now], privacy: .protect)
        let past = try past(before, now)
        #expect(effect.concerns(kind(.undefined, "tap", of: before), past: past))
        #expect(effect.concerns(kind(.undefined, "Recipe Tapped", of: before), past: past))
        #expect(!effect.concerns(kind(.undefined, "tip", of: before), past: past))
    }

    @Test func `an undefined event is concerned when its definition gets an error, and when that definition goes`()
        throws
    {
        let good = try dictionary(one)
        var faulty = good
        faulty.broken = [EventKey(category: "recipe", name: "tap"): "recipe.md:10"]
        faulty.sentKeysOfBroken = [EventKey(category: "recipe", name: "tap"): EventKey(category: "recipe", name: "tap")]
        #expect(faulty.version != good.version)
        let coming = ChangeEffect([faulty], privacy: .protect)
        #expect(coming.concerns(kind(.undefined, "tap", of: good), past: try past(good, faulty)))
        #expect(!coming.concerns(kind(.undefined, "tip", of: good), past: try past(good, faulty)))
        // The files of a version do not say what had errors.
        let going = ChangeEffect([good], privacy: .protect)
        #expect(going.concerns(kind(.undefined, "tap", of: faulty), past: try past(faulty, good, one)))
        #expect(!going.concerns(kind(.violating, "show", of: faulty), past: try past(faulty, good, one)))
        // What still has the same error is no change.
        var more = try dictionary(one + "\n## tip\n- item: !bigint\n")
        more.broken = faulty.broken
        let staying = ChangeEffect([more], privacy: .protect)
        #expect(staying.concerns(kind(.undefined, "tip", of: faulty), past: try past(faulty, more, one)))
        #expect(!staying.concerns(kind(.undefined, "other", of: faulty), past: try past(faulty, more, one)))
    }

    @Test func `a name that was protected all the time does not become private`() throws {
        let first = try dictionary(one + "\n## mail\n- email: !string\n    - privacy: private\n")
        var (before, now) = (try dictionary(one), try dictionary(one + "\n## tap\n- item: !bigint\n"))
        before.inherit(from: first)
        now.inherit(from: before)
        let effect = ChangeEffect([now], privacy: .protect)
        for resolution in [Resolution.resolved, .violating, .unkeyed, .malformed, .plain] {
            #expect(!effect.concerns(kind(resolution, "show", of: before), past: try past(before, now, one)))
        }
        // It is defined again.
        let again = try dictionary(one + "\n## mail\n- email: !string\n    - privacy: private\n")
        let (redefined, known) = (ChangeEffect([again], privacy: .protect), try past(before, again, one))
        #expect(!redefined.concerns(kind(.resolved, "show", of: before), past: known))
        let open = try dictionary(one)
        #expect(open.version != before.version)
        #expect(effect.concerns(kind(.resolved, "show", of: open), past: try past(open, now)))
    }

    @Test func `a version that is not known any more counts as different`() throws {
        let (before, now) = (try dictionary(one), try dictionary(one + "\nText.\n"))
        let effect = ChangeEffect([now], privacy: .protect)
        for resolution in [Resolution.undefined, .unkeyed, .violating, .malformed] {
            #expect(effect.concerns(kind(resolution, "tap", of: before), past: nil))
        }
        for resolution in [Resolution.resolved, .plain] {
            #expect(!effect.concerns(kind(resolution, "tap", of: before), past: nil))
        }
    }

    @Test func `what another dictionary covers now is concerned, or none any more`() throws {
        let now = try dictionary(one)
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.concerns(kind(.undefined, "tap", of: now, named: nil), past: nil))
        #expect(effect.concerns(kind(.violating, "show", of: now, named: "other"), past: nil))
        #expect(!effect.concerns(kind(.resolved, "show", of: now, named: "other"), past: nil))
        for resolution in Resolution.allCases {
            let left = kind(resolution, "show", of: now, subsystem: "org.example")
            let isConcerned = [.undefined, .unkeyed, .violating].contains(resolution)
            #expect(effect.concerns(left, past: nil) == isConcerned, "\(resolution)")
            // Nothing else says that its values may be private.
            let revealing = ChangeEffect([now], privacy: .reveal, wasRevealed: true)
            #expect(!revealing.concerns(left, past: nil), "\(resolution)")
        }
        #expect(!effect.concerns(kind(.undefined, "tap", of: now, named: nil, subsystem: "org.example"), past: nil))
    }

    @Test func `a dictionary that could not be loaded concerns nothing`() throws {
        let before = try dictionary(one)
        let empty = EventDictionary(options: before.options, version: "", common: [], categories: [])
        let effect = ChangeEffect([empty], privacy: .protect)
        for resolution in Resolution.allCases {
            #expect(!effect.concerns(kind(resolution, "show", of: before), past: nil))
        }
    }

    @Test func `a name that has become private concerns every event, whatever its definition says`() throws {
        let before = try dictionary("## show\n- item: !bigint\n\n## tap\n- place: !string\n")
        let now = try dictionary("## show\n- item: !bigint\n    - privacy: private\n\n## tap\n- place: !string\n")
        let effect = ChangeEffect([now], privacy: .protect)
        #expect(effect.resolutions == Set(Resolution.allCases))
        let past = try past(before, now)
        #expect(effect.concerns(kind(.resolved, "show", of: before), past: past))
        for resolution in Resolution.allCases {
            #expect(effect.concerns(kind(resolution, "tap", of: before), past: past), "\(resolution)")
        }
        #expect(effect.concerns(kind(.resolved, "tap", of: before), past: nil), "who knows what it had")
    }

    @Test func `what was hashed and is private now has become private`() throws {
        let hashed = "## show\n- item: !bigint\n    - privacy: hash\n"
        let (before, now) = (try dictionary(hashed), try dictionary(hashed.replacing("hash", with: "private")))
        let past = try past(before, now)
        #expect(ChangeEffect([now], privacy: .protect).concerns(kind(.resolved, "show", of: before), past: past))
        #expect(
            !ChangeEffect([before], privacy: .protect).concerns(
                kind(.resolved, "show", of: now), past: try self.past(now, before)))
    }

    @Test func `in a setting that reveals, nothing becomes private`() throws {
        let before = try dictionary(one)
        let now = try dictionary("## show\n- item: !bigint\n    - privacy: hash\n")
        let effect = ChangeEffect([now], privacy: .reveal)
        #expect(effect.resolutions == [.undefined, .unkeyed, .violating, .malformed])
        #expect(!effect.concerns(kind(.resolved, "show", of: before), past: try past(before, now)))
    }
}
