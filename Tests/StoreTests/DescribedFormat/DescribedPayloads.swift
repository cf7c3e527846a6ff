import Foundation

/// The paths and templates of a block's payloads.
struct DescribedShapes {
    struct Hole {
        var place: Int
        var path: Int
        var isString: Bool
    }

    struct Template {
        var text: [UInt8]
        var holes: [Hole]
    }

    /// The name of each path, with dots after the names of the objects that it is nested in. The first is that of the
    /// payload.
    private(set) var names: [[UInt8]] = [[]]
    private(set) var templates: [Template] = []

    init(templates count: Int, _ input: inout DescribedBytes) throws {
        for _ in 0..<(try input.count()) {
            let parent = try input.count()
            let key = try input.take(try input.count())
            names.append(parent == 0 ? key : names[parent] + Array(".".utf8) + key)
        }
        for _ in 0..<count {
            var (place, holes) = (0, [Hole]())
            for _ in 0..<(try input.count()) {
                place += try input.count()
                let code = try input.count()
                holes.append(Hole(place: place, path: code / 4, isString: code % 4 == 0))
            }
            templates.append(Template(text: try input.take(place + (try input.count())), holes: holes))
        }
    }

    /// Returns the template of each event.
    func numbers(_ codes: [Int64], kinds: [Int64], _ met: (String) -> Void) throws -> [Int?] {
        var recent: [Int64: [Int]] = [:]
        return try zip(codes, kinds).map { code, kind in
            switch code {
            case -1:
                met("whole")
                return nil
            case 0...3:
                met("recent template \(code)")
                guard code < recent[kind]?.count ?? 0, let number = recent[kind]?.remove(at: Int(code)) else {
                    throw FormatError("no template was there")
                }
                recent[kind]?.insert(number, at: 0)
                return number
            default:
                met("another template")
                recent[kind] = Array(([Int(code) - 4] + (recent[kind] ?? [])).prefix(4))
                return Int(code) - 4
            }
        }
    }
}

struct DescribedPayload {
    var bytes: [UInt8]
    /// The names and values of the parameters: the text of a string, and the JSON text of any other value. A payload
    /// without a template has none here.
    var parameters: [(name: [UInt8], value: [UInt8])]

    /// - Parameter next: returns the next value of a path.
    init(_ template: DescribedShapes.Template, _ shapes: DescribedShapes, next: (Int) throws -> [UInt8]) throws {
        (bytes, parameters) = ([], [])
        var copied = 0
        for hole in template.holes {
            let value = try next(hole.path)
            bytes += template.text[copied..<hole.place] + value
            copied = hole.place
            let text = hole.isString ? Self.text(value) : value
            if let text { parameters.append((shapes.names[hole.path], text)) }
        }
        bytes += template.text[copied...]
    }

    init(whole bytes: [UInt8]) { (self.bytes, parameters) = (bytes, []) }

    private static func text(_ string: [UInt8]) -> [UInt8]? {
        guard string.contains(UInt8(ascii: "\\")) else { return string }
        let text = try? JSONDecoder().decode([String].self, from: Data("[\"".utf8 + string + "\"]".utf8))
        return text.map { Array($0[0].utf8) }
    }
}
