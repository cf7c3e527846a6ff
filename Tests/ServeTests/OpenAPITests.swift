import TestSupport
import API
import Foundation
import Model
import Predicates
import Store
import Testing

@testable import Serve

struct OpenAPITests {
    @Test func `every documented path and method is answered, and every other method is refused`() async throws {
        try await withServer { server in
            let paths = try #require(
                try await server.get(APIPath.openAPI).object()["paths"] as? [String: [String: Any]])
            #expect(paths.count == 35)
            for (path, methods) in paths {
                let concrete = path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : $0 }.joined(separator: "/")
                for method in ["get", "post", "put", "delete", "patch"] {
                    let status = try await server.request(method.uppercased(), "/" + concrete).status
                    #expect((status == 405) == (methods[method] == nil), "\(method) \(path): \(status)")
                }
            }
        }
    }

    @Test(arguments: [
        ("/v1/tables?name=x", 404), ("/v1/tables?name=events&after=gaps", 422), ("/v1/stats?by=ownr", 422),
        ("/v1/dictionaries/shop/definitions?after=a/b", 422),
    ])
    func `a refusal is documented`(request: String, status: Int) async throws {
        try await withServer { server in
            #expect(try await server.get(request).status == status)
            let paths = try #require(
                try await server.get(APIPath.openAPI).object()["paths"] as? [String: [String: [String: Any]]])
            let path = request.prefix { $0 != "?" }.replacing("/shop/", with: "/{dictionary}/")
            let responses = try #require(paths[path]?["get"]?["responses"] as? [String: Any])
            #expect(responses["\(status)"] != nil)
        }
    }

    @Test func `every path of the API is documented`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI).text }
        for path in [
            APIPath.status, APIPath.events, APIPath.events + "/{id}", APIPath.gaps, APIPath.dictionaries,
            APIPath.dictionaries + "/{dictionary}/definitions",
            APIPath.dictionaries + "/{dictionary}/definitions/{category}/{name}",
            APIPath.dictionaries + "/{dictionary}/versions", APIPath.dictionaries + "/{dictionary}/versions/{version}",
            APIPath.verify, APIPath.stats, APIPath.reload, APIPath.openAPI,
            APIPath.metrics, APIPath.diagnostics, APIPath.checklists, APIPath.checklists + "/{run}",
            APIPath.checklists + "/{run}/changes",
            APIPath.checklists + "/{run}/scope", APIPath.checklists + "/{run}/reset",
            APIPath.checklists + "/{run}/stop", APIPath.alerts, APIPath.notices, APIPath.alerts + "/{alert}/test",
            APIPath.alerts + "/{alert}/silence", APIPath.alerts + "/{alert}/trial",
        ] + ReportKind.allCases.map({ APIPath.report($0) }) {
            #expect(document.contains("\"\(path)\""), "\(path)")
        }
    }

    @Test func `the pattern of a condition is as strict as its parser`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI) }.object()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let parameters = try #require(paths[APIPath.events]?["get"]?["parameters"] as? [[String: Any]])
        let schema = parameters.first { $0["name"] as? String == "where" }?["schema"] as? [String: Any]
        let pattern = try #require((schema?["items"] as? [String: Any])?["pattern"] as? String)
        let regex = try NSRegularExpression(pattern: pattern)
        for scalar in Array(0..<0x100).compactMap(UnicodeScalar.init) + ["é", "名", "\u{10FFFF}"] {
            for text in ["\(scalar)=5", "a\(scalar)=", "a\(scalar)b=x=y", "=\(scalar)"] {
                let range = NSRange(text.startIndex..., in: text)
                #expect(
                    (regex.firstMatch(in: text, range: range) != nil) == (FilterParameter.memberParts(text) != nil),
                    "\(text)")
            }
        }
    }

    @Test func `the schema of a run's name is as strict as its parser`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI) }.object()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let parameters = try #require(paths[APIPath.checklists]?["post"]?["parameters"] as? [[String: Any]])
        let schema = try #require(parameters.first { $0["name"] as? String == "name" }?["schema"] as? [String: Any])
        let regex = try NSRegularExpression(pattern: try #require(schema["pattern"] as? String))
        let lengths = try #require(schema["minLength"] as? Int)...(try #require(schema["maxLength"] as? Int))
        var names = ["", ".", "..", "...", ".a", "..a", "a..", "名前", "a b"]
        names += [100, 101].map { String(repeating: "a", count: $0) }
        for scalar in Array(0..<0x100).compactMap(UnicodeScalar.init) {
            names += ["\(scalar)", "a\(scalar)b", ".\(scalar)"]
        }
        for name in names {
            let isMatch = regex.firstMatch(in: name, range: NSRange(name.startIndex..., in: name)) != nil
            let isRight = isMatch && lengths.contains(name.unicodeScalars.count)
            #expect(isRight == (Checklist.fault(ofName: name) == nil), "\(name.debugDescription)")
        }
    }

    @Test func `every schema that is referred to is there`() async throws {
        let reply = try await withServer { try await $0.get(APIPath.openAPI) }
        let components = try #require(try reply.object()["components"] as? [String: Any])
        let schemas = Set(try #require(components["schemas"] as? [String: Any]).keys)
        let references = reply.text.matches(of: /#\/components\/schemas\/(\w+)/).map { String($0.1) }
        #expect(!references.isEmpty)
        #expect(Set(references).subtracting(schemas) == [])
    }

    @Test func `every operation has an id and a tag, and every parameter an example`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI) }.object()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let operations = paths.values.flatMap(\.values)
        #expect(Set(operations.compactMap { $0["operationId"] as? String }).count == 37)
        let tags = Set((document["tags"] as? [[String: String]] ?? []).compactMap { $0["name"] })
        for operation in operations {
            let id = operation["operationId"] as? String ?? ""
            #expect(Set(operation["tags"] as? [String] ?? ["none"]).isSubset(of: tags), "\(id)")
            for parameter in operation["parameters"] as? [[String: Any]] ?? [] {
                #expect(parameter["example"] != nil, "\(id) \(parameter)")
                #expect((parameter["description"] as? String)?.isEmpty == false, "\(id) \(parameter)")
            }
        }
    }

    @Test func `every property is described`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI) }.object()
        var count = 0
        func look(at node: Any, _ place: String) {
            if let list = node as? [Any] { for part in list { look(at: part, place) } }
            guard let object = node as? [String: Any] else { return }
            for (name, property) in object["properties"] as? [String: [String: Any]] ?? [:] {
                count += 1
                #expect((property["description"] as? String)?.isEmpty == false, "\(place).\(name)")
            }
            for (name, part) in object where name != "example" { look(at: part, "\(place).\(name)") }
        }
        look(at: try #require(document["components"]), "")
        #expect(count > 150)
    }

    @Test(arguments: [
        ("Status", "/v1/status"), ("EventDetail", "/v1/events/1"), ("GapList", "/v1/gaps"),
        ("DictionaryList", "/v1/dictionaries"), ("DefinitionList", "/v1/dictionaries/shop/definitions"),
        ("DefinitionDetail", "/v1/dictionaries/shop/definitions/recipe_detail/tap_save_button"),
        ("DefinitionList", "/v1/dictionaries/shop/definitions?search=save"),
        ("DictionaryVersionList", "/v1/dictionaries/shop/versions"),
        ("DictionaryFiles", "/v1/dictionaries/shop/versions/0123456789abcdef"),
        ("UndefinedReport", "/v1/reports/undefined"), ("UnseenReport", "/v1/reports/unseen"),
        ("ViolationReport", "/v1/reports/violations"), ("ObsoleteReport", "/v1/reports/obsolete"),
        ("KeylessReport", "/v1/reports/unkeyed?subsystem=*&subsystem=unknown"),
        ("KeylessReport", "/v1/reports/malformed?since=\(Sample.start)"),
        ("Stats", "/v1/stats?by=event&by=hour&trend=5"), ("EventLine", "/v1/events?n=1"),
        ("VerificationLine", "/v1/verify"),
    ])
    func `a reply has the properties that its schema lists`(schema: String, path: String) async throws {
        try await withServer { server in
            server.daemon.set(loaded: [Sample.loadedShop])
            server.daemon.set(reprocessing: StatusReply.ReprocessingProgress(done: 1, total: 2))
            try await server.store.save(Sample.batch(Sample.everyKind), journal: "machine")
            try await server.store.keep(
                Sample.shop, files: [DefinitionFile(name: "a.md", bytes: [0xFF])], loadedMicroseconds: 1)
            let document = try await server.get(APIPath.openAPI).object()
            let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
            let reply = try await server.get(path).object()
            #expect(Schema(all: schemas).mistakes(in: reply, schemas[schema], at: schema) == [])
        }
    }

    @Test func `every success has an example of its schema, which the API's own types read`() async throws {
        let document = try await withServer { try await $0.get(APIPath.openAPI) }.object()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let components = try #require(document["components"] as? [String: Any])
        let schemas = Schema(all: try #require(components["schemas"] as? [String: Any]))
        for operation in paths.values.flatMap(\.values) {
            let id = try #require(operation["operationId"] as? String)
            let responses = try #require(operation["responses"] as? [String: [String: Any]])
            let content = try #require(responses["200"]?["content"] as? [String: [String: Any]])
            let example = try #require(content.values.first?["example"], "\(id)")
            #expect(schemas.mistakes(in: example, content.values.first?["schema"], at: id) == [])
            let data = try JSONSerialization.data(
                withJSONObject: example, options: [.sortedKeys, .fragmentsAllowed])
            switch id {
            case "status": try expect(StatusReply.self, data)
            case "reload": try expect(ReloadReply.self, data)
            case "gaps": try expect(GapList.self, data)
            case "stats": try expect(StatsReply.self, data)
            case "tables": try expect(TableList.self, data)
            case "keys": try expect(KeyCatalog.self, data)
            case "sql":
                for line in try #require(example as? [Any]) {
                    _ = try SQLLine.parse(Array(try JSONSerialization.data(withJSONObject: line)))
                }
            case "dictionaries": try expect(DictionaryList.self, data)
            case "definitions": try expect(DefinitionList.self, data)
            case "versions": try expect(DictionaryVersionList.self, data)
            case "version": try expect(DictionaryFiles.self, data)
            case "undefinedReport": try expect(Report<UndefinedRow>.self, data)
            case "unseenReport": try expect(Report<UnseenRow>.self, data)
            case "violationsReport": try expect(Report<ViolationRow>.self, data)
            case "obsoleteReport": try expect(Report<ObsoleteRow>.self, data)
            case "unkeyedReport", "malformedReport": try expect(Report<KeylessRow>.self, data)
            case "definition": _ = try DefinitionDetail.parse(Array(data))
            case "event": _ = try EventDetail.parse(Array(data))
            case "events":
                for line in try #require(example as? [Any]) {
                    // Its members are sorted here; the order does not matter to who reads it.
                    let line = try StreamLine.parse(Array(try JSONSerialization.data(withJSONObject: line)))
                    if case .other = line { Issue.record("\(example)") }
                }
            case "verify":
                for line in try #require(example as? [Any]) {
                    let line = try VerificationLine.parse(Array(try JSONSerialization.data(withJSONObject: line)))
                    if case .other = line { Issue.record("\(example)") }
                }
            case "diagnostics": try expect(DiagnosticList.self, data)
            case "alerts": try expect(AlertList.self, data)
            case "testAlert", "silenceAlert": try expect(AlertReply.self, data)
            case "alertHistory", "tryAlert": try expect(NoticeList.self, data)
            case "checklists": try expect(ChecklistList.self, data)
            case "checklist", "startChecklist", "resetChecklist", "stopChecklist", "removeChecklist":
                try expect(ChecklistReply.self, data)
            case "checklistScope": try expect(ChecklistScope.self, data)
            case "checklistChanges":
                for line in try #require(example as? [Any]) {
                    let line = try ChecklistLine.parse(Array(try JSONSerialization.data(withJSONObject: line)))
                    if case .other = line { Issue.record("\(example)") }
                }
            case "metrics": #expect((example as? String)?.hasPrefix("# HELP ") == true)
            default: #expect(id == "openAPI")
            }
        }
    }

    /// That the type reads it and has nothing less or more to say.
    private func expect<Value: Codable>(_ type: Value.Type, _ data: Data) throws {
        let again = try APICoding.encode(try APICoding.decode(type, from: data))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
        #expect(try JSONSerialization.jsonObject(with: Data(again)) as? NSDictionary == object, "\(type)")
    }
}

/// Just enough of JSON Schema to hold replies against: types, properties, items and references.
private struct Schema {
    var all: [String: Any]

    func mistakes(in value: Any, _ schema: Any?, at place: String) -> [String] {
        guard let schema = schema as? [String: Any] else { return ["\(place): no schema"] }
        if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
            return mistakes(in: value, all[String(name)], at: place)
        }
        if let choices = schema["oneOf"] as? [Any] {
            let tried = choices.map { mistakes(in: value, $0, at: place) }
            return tried.contains { $0.isEmpty } ? [] : tried.first ?? []
        }
        switch (schema["type"] as? String, value) {
        case ("object", let object as [String: Any]): return mistakes(in: object, schema, at: place)
        case ("array", let array as [Any]): return array.flatMap { mistakes(in: $0, schema["items"], at: place + "[]") }
        case ("string", is String), ("integer", is Int), ("number", is Double), ("boolean", is Bool),
            ("null", is NSNull),
            (nil, _):
            return []
        case (let type, _): return ["\(place): not \(type ?? "")"]
        }
    }

    private func mistakes(in object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
        guard let properties = schema["properties"] as? [String: Any] else { return [] }
        let required = schema["required"] as? [String] ?? []
        return required.filter { object[$0] == nil }.map { "\(place).\($0) is missing" }
            + object.flatMap { mistakes(in: $1, properties[$0], at: "\(place).\($0)") }
    }
}
