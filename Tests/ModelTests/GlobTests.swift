import Model
import Testing

@Suite struct GlobTests {
    @Test(arguments: [
        ("*", ""), ("*", "x"), ("com.example.*", "com.example."), ("com.example.*", "com.example.shop"), ("a*c", "abc"),
        ("a*c", "ac"), ("a*b*c", "aXbYbc"), ("?", "猫"), ("a?c", "aéc"), ("*.service", "nginx.service"), ("", ""),
        ("**", "x"), ("*a", "aaa"), ("a", "a"),
    ])
    func `fits`(pattern: String, text: String) {
        #expect(Glob(pattern).matches(text))
    }

    @Test(arguments: [
        ("com.example.*", "com.example"), ("a*c", "ab"), ("?", ""), ("?", "ab"), ("a", "A"), ("", "x"),
        ("*.service", "nginx"),
        ("a*b*c", "acb"),
    ])
    func `does not fit`(pattern: String, text: String) {
        #expect(!Glob(pattern).matches(text))
    }

    @Test func `many stars against a long text come to an end`() {
        let pattern = String(repeating: "a*", count: 30) + "b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 2000)))
    }
}
