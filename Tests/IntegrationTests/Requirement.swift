import Foundation
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
    /// Mounting takes root and a container that allows it.
    static let mounting: String? = {
        guard !Tool.isCI else { return nil }
        guard geteuid() == 0 else { return "mounting a small file system needs root" }
        // mkdtemp(3) makes a name of its own of the X's: nobody else can have made the folder.
        var folder = Array("/tmp/gloss-mount-XXXXXX".utf8CString)
        guard mkdtemp(&folder) != nil else { return "there is no folder to mount on" }
        defer { rmdir(folder) }
        guard mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0 else { return "mounting is not allowed here" }
        umount2(folder, Int32(MNT_DETACH))
        return nil
    }()
    /// The recipes of docs/writing.md, and what some of them need besides.
    static let recipes = journald ?? mounting
    static let pythonRecipes =
        recipes
        ?? (Tool.isCI || FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/systemd/journal.py")
            ? nil : "Python's module systemd is missing: apt-get install python3-systemd")
    static let nginxRecipe =
        recipes ?? Tool("/usr/sbin/nginx", package: "nginx").reasonToSkip
        ?? Tool("/usr/sbin/ip", package: "iproute2").reasonToSkip
        ?? Tool("/usr/bin/curl", package: "curl").reasonToSkip
    static let containerRecipe =
        recipes ?? Tool("/usr/bin/podman", package: "podman").reasonToSkip
        ?? Tool("/usr/bin/crun", package: "crun").reasonToSkip
    /// script(1) makes a terminal, in which shells complete words.
    static let shells =
        Tool("/usr/bin/script", package: "bsdutils").reasonToSkip ?? Tool("/usr/bin/zsh", package: "zsh").reasonToSkip
        ?? Tool("/usr/bin/fish", package: "fish").reasonToSkip
    static let systemdAnalyze = Tool("/usr/bin/systemd-analyze", package: "systemd").reasonToSkip
    static let socketActivate = Tool("/usr/bin/systemd-socket-activate", package: "systemd")
    static let socketProxy = Tool("/usr/lib/systemd/systemd-socket-proxyd", package: "systemd")
    static let metrics =
        journald ?? Tool("/usr/bin/curl", package: "curl").reasonToSkip ?? socketActivate.reasonToSkip
        ?? socketProxy.reasonToSkip
}
