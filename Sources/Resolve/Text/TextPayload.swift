import JSON
import Model

/// A JSON object that was taken from a text.
struct TextPayload {
    var payload: [UInt8]
    /// Where the object stands in the text; `nil` if it is made of pairs.
    var place: Range<Int>?
    var pairs: [TextPairs.Pair] = []

    /// What a text is.
    enum Found {
        case payload(TextPayload)
        /// It has no payload.
        case none
        /// It has one that cannot be read, and why.
        case malformed(String)
    }

    /// The most places at which an object in a text may begin, without being one. Each try may read the rest of the text.
    private static let maximumTries = 64

    static func find(_ format: PayloadFormat, in text: UnsafeRawBufferPointer) -> Found {
        switch format {
        case .json: return .none
        case .jsonInText: return object(in: text)
        case .logfmt:
            do throws(TextPairs.SyntaxError) {
                return found(try TextPairs.logfmt(text), in: text)
            } catch {
                return .malformed(error.description)
            }
        case .syslogKV: return found(TextPairs.syslog(text), in: text)
        }
    }

    /// Finds the first object that has members. It begins with `{"name":`. Nothing within one that is broken is taken for it.
    private static func object(in text: UnsafeRawBufferPointer) -> Found {
        var (at, tries) = (0, 0)
        while tries < maximumTries, let start = start(in: text, from: at) {
            at = start + 1
            tries += 1
            guard var walk = JSONWalk(of: text, in: start..<text.count) else { return .none }
            do throws(JSONError) {
                guard try walk.enter() else { continue }
                _ = try walk.key()
            } catch {
                // It may be the start of an object that was cut off; else it is none.
                if error.problem == .unexpectedEnd { return .malformed(error.description) } else { continue }
            }
            walk.offset = start
            do throws(JSONError) {
                let range = try walk.value().value
                return .payload(TextPayload(payload: Array(text[range]), place: range))
            } catch {
                return .malformed(error.description)
            }
        }
        return .none
    }

    /// Returns the first place at which an object with members may begin.
    /// - Parameter marks: what the first name may begin with.
    static func start(in text: UnsafeRawBufferPointer, from place: Int = 0, before marks: String = "\"") -> Int? {
        var at = place
        while let start = text[at...].firstIndex(of: UInt8(ascii: "{")) {
            at = start + 1
            if let next = text[at...].first(where: { !$0.isWhiteSpace }), marks.utf8.contains(next) { return start }
        }
        return nil
    }

    private static func found(_ pairs: [TextPairs.Pair], in text: UnsafeRawBufferPointer) -> Found {
        pairs.isEmpty ? .none : .payload(TextPayload(of: pairs, in: text))
    }

    /// The object of the pairs: the values are strings, and a name alone is `true`.
    init(of pairs: [TextPairs.Pair], in text: UnsafeRawBufferPointer) {
        var json = JSONWriter()
        json.beginObject()
        for pair in pairs {
            json.key(String(decoding: text[pair.name], as: UTF8.self))
            if pair.value == nil { json.bool(true) } else { json.string(String(decoding: pair.content, as: UTF8.self)) }
        }
        json.endObject()
        payload = json.bytes
        self.pairs = pairs
    }

    init(payload: [UInt8], place: Range<Int>) {
        self.payload = payload
        self.place = place
    }

    /// Whether an object is still the one that is found in a text.
    static func isFirst(_ payload: [UInt8], in message: MessageText) -> Bool {
        let whole = message.whole(with: payload)
        guard case .payload(let found) = whole.withUnsafeBytes({ object(in: $0) }) else { return false }
        return found.place?.lowerBound == message.payloadPlace && found.payload == payload
    }

    /// The text that is kept beside the payload.
    func message(_ text: UnsafeRawBufferPointer) -> MessageText {
        guard let place else { return MessageText(Array(text)) }
        return MessageText(text[..<place.lowerBound] + Array(text[place.upperBound...]), payloadPlace: place.lowerBound)
    }
}
