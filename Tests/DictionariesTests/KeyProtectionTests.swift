import API
import Dictionaries
import Foundation
import Model
import TestSupport
import Testing

struct KeyProtectionTests {
    @Test(arguments: [PayloadFormat.json, .logfmt])
    func `what contains a key is protected unless the key is in the name of a pair`(format: PayloadFormat) async throws
    {
        try await withTemporaryFolder { folder in
            let text =
                "## request\n\nText.\n\n- ctx: !string?\n    - privacy: private\n- email: !string?\n    - privacy: private\n"
            try Data(text.utf8).write(to: folder.appending(path: "access.md"))
            var layout = PayloadLayout(category: .fixed("access"), name: .member(MemberPath("ctx.event")))
            layout.format = format
            let options = DictionaryOptions(name: "shop", path: folder.path, layout: layout)
            var reading = DictionaryReading(options)
            #expect(reading.errors.contains { $0.contains("reserved-name") }, "\(reading.errors)")
            reading.repair(lastGood: [])
            let names = reading.loaded(at: 0, orLast: nil).dictionary.protectedNames
            #expect(names["email"] == .private && names["ctx"] == (format == .json ? .private : nil))
        }
    }
}
