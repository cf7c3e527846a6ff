import Glibc
import TestSupport

/// What a test cannot do without. In CI everything must be there: a test that cannot run fails then.
enum Requirement {
    static let journald = PrivateJournald.reasonToSkip
    static let journalFiles = JournalFixture.reasonToSkip
    static let container: String? =
        geteuid() != 0 && !Tool.isCI
        ? "a container needs root"
        : Tool("/usr/bin/systemd-nspawn", package: "systemd-container").reasonToSkip
    static let systemdAnalyze = Tool("/usr/bin/systemd-analyze", package: "systemd").reasonToSkip
}
