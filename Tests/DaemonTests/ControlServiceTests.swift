import Model
import Testing

@testable import Daemon

struct ControlServiceTests {
    @Test func `what is ready is logged on one line, whatever its names contain`() {
        let none = ControlService.summary(of: (.machine, "/run/gloss/control.sock"), files: 12, dictionaries: [])
        #expect(
            none
                == "glossd \(glossVersion); journal: machine, 12 files; dictionaries: none; socket: /run/gloss/control.sock"
        )
        let hostile = ControlService.summary(
            of: (.directory("/j\u{1B}[2J\n<3>x"), "/s\n"), files: 1,
            dictionaries: ["shop", "web"].map {
                EventDictionary(
                    options: DictionaryOptions(name: $0, path: "/d"), version: "", common: [], categories: [])
            })
        #expect(
            hostile == #"glossd \#(glossVersion); journal: directory:/j\u001b[2J; <3>x, 1 file; "#
                + #"dictionaries: shop (0 definitions), web (0 definitions); socket: /s; "#)
    }
}
