import Foundation
import TestSupport
import Testing

@testable import Control

private let bash = Tool("/bin/bash", package: "bash")

/// The list of words that bash chooses from, which it expands first.
@Suite(.enabled(if: bash.reasonToSkip == nil, "\(bash.reasonToSkip ?? "")"))
struct TypedWordTests {
    /// Without a build of the scripts: what they call.
    private func words(of list: String) throws -> (String, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: bash.path)
        process.arguments = ["-c", #"IFS=$'\n' compgen -W "$1""#, "bash", list]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }

    @Test func `bash runs nothing that is in a value, and takes it as it is`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.path("ran")
        let values =
            [
                "a<(id>\(file))", ">(id>\(file))", "$(id>\(file))", "`id>\(file)`", "a`\u{301};id>\(file);`\u{301}",
                "$\u{301}(id>\(file))", "'\u{301}$(id>\(file))'", "a'b", "\"a\"", "\\", "a\\", "{b,c}", "{1..3}", "~",
                "~root", "a=~", "*", "/etc/pass*", "[a]", "a?", "!!", "#a", "a;b", "a&b", "a|b", "(a)", "a b  c ",
                "$HOME", "${HOME}", "$((1+1))", "$'a'", "夕食 🍲", "e\u{301}",
            ] + (UInt8(0x21)..<0x7F).map { String(UnicodeScalar($0)) }
        let list = values.map { TypedWord.quotedForBash($0) }.joined(separator: "\n")
        let (text, errors) = try words(of: list)
        #expect(Array(text.utf8) == Array((values.joined(separator: "\n") + "\n").utf8))
        #expect(errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `what is usual in names stays readable`() {
        let name = "com.example.shop/a_b-c:1,d=2@3%4+5"
        #expect(TypedWord.quotedForBash(name) == name)
        #expect(TypedWord.quotedForBash(#"level == "a""#) == #"level\ ==\ \"a\""#)
    }
}
