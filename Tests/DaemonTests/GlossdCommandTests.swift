import Testing

@testable import Daemon

struct GlossdCommandTests {
    @Test(arguments: [
        ("gloss.yaml", "/srv/gloss.yaml"), ("./a/gloss.yaml", "/srv/a/gloss.yaml"),
        ("../gloss.yaml", "/srv/../gloss.yaml"),
        ("/etc/gloss/gloss.yaml", "/etc/gloss/gloss.yaml"),
    ])
    func `the settings' path is absolute, and so are those that follow from it`(path: String, absolute: String) {
        #expect(GlossdCommand.absolute(path, in: "/srv") == absolute)
    }

    @Test func `a path in the root begins with one slash`() {
        #expect(GlossdCommand.absolute("gloss.yaml", in: "/") == "/gloss.yaml")
    }
}
