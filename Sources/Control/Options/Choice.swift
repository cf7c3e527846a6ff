import ArgumentParser

/// The value of an option that is one of a few words.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {}

extension Choice {
    // ArgumentParser finds the words of any type: Swift's runtime then looks for the conformances of each, among thousands.
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}
