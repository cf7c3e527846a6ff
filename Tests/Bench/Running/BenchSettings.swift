import Foundation

/// The settings of a daemon that is measured.
struct BenchSettings {
    enum Journal {
        case directory(URL)
        case namespace(String)
    }

    var journal: Journal
    /// The folder of its one dictionary.
    var definitions: URL
    var maximumSize = "8GiB"
    var start = "oldest"
    /// Whole blocks to add.
    var more = ""

    /// Ages do not matter: what is generated may be of any time.
    var text: String {
        """
        journal: {\(location), start: \(start)}
        sources: [{subsystem: "com.example.*"}]
        dictionaries: [{name: shop, path: \(definitions.path), subsystem: "com.example.*", category: "*"}]
        store: {path: events.sqlite, max_size: \(maximumSize), max_age: 36500d}
        control: {socket: control.sock}
        \(more)
        """
    }

    private var location: String {
        switch journal {
        case .directory(let folder): "directory: \(folder.path)"
        case .namespace(let name): "namespace: \(name)"
        }
    }
}
