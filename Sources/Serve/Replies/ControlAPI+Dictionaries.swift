import API
import Hummingbird
import JSON
import Model
import Queries
import Store

extension ControlAPI {
    /// `GET /v1/dictionaries`
    func dictionaries(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await documents.response(context) {
            try APICoding.encode(DictionaryList(dictionaries: await daemon.dictionaries().map(DictionaryStatus.init)))
        }
    }

    /// `GET /v1/dictionaries/{dictionary}/definitions`
    func definitions(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try DefinitionQuery(urlQuery: request.uri.query)
        let dictionary = try await dictionary(context).dictionary
        let uses = DefinitionUses(
            try await store.eventCounts(matching: .resolved(as: [.resolved, .violating])), of: dictionary.options.name)
        return try await documents.response(context) {
            try APICoding.encode(try DefinitionPage(dictionary, query: query, uses: uses).list())
        }
    }

    /// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`
    func definition(_ request: Request, _ context: ControlContext) async throws -> Response {
        let loaded = try await dictionary(context)
        let key = EventKey(
            category: try context.pathParameter("category"), name: try context.pathParameter("name"))
        guard let definition = DefinitionReply(key, in: loaded.dictionary) else {
            let name = loaded.dictionary.options.name
            if let fault = loaded.dictionary.fault(of: key) {
                throw Problem(
                    status: 422, title: "The definition has an error",
                    detail: "\(key) of the dictionary \(name) is not in force: \(fault)")
            }
            throw Problem(
                status: 404, title: "Not found", detail: "The dictionary \(name) does not define \(key).")
        }
        var history = DefinitionHistory(
            source: EventSource(store, memory, limits.pages), dictionary: loaded, definition: definition, now: now())
        let reply = try await withTaskExecutorPreference(documents.thread) { try await history.reply() }
        return Response(pieces: reply, of: history.source, channel: context.channel)
    }

    /// `GET /v1/dictionaries/{dictionary}/versions`
    func versions(_ request: Request, _ context: ControlContext) async throws -> Response {
        let dictionary = try await dictionary(context).dictionary
        let name = dictionary.options.name
        return try await documents.response(context) {
            let versions = try await store.versions(ofDictionary: name)
            return try APICoding.encode(
                DictionaryVersionList(
                    dictionary: name, current: dictionary.version, versions: versions.map(DictionaryVersionReply.init)))
        }
    }

    /// `GET /v1/dictionaries/{dictionary}/versions/{version}`
    func version(_ request: Request, _ context: ControlContext) async throws -> Response {
        let name = try await dictionary(context).dictionary.options.name
        let version = try context.pathParameter("version")
        guard let names = try await store.fileNames(ofDictionary: name, version: version) else {
            throw Problem(
                status: 404, title: "Not found",
                detail: "The files of version \(version) of the dictionary \(name) are not kept.")
        }
        let files = DictionaryFilesBody(dictionary: name, version: version, names: names, memory: memory) {
            [store] file in
            try await store.file(ofDictionary: name, version: version, named: file)
        }
        return Response(
            jsonBody: ResponseBody { [limits] writer in
                try await files.write(
                    to: PacedBody(writer, channel: context.channel), chunkBytes: limits.pages.lineBytes)
            })
    }

    /// `POST /v1/reload`
    func reload(_ request: Request, _ context: ControlContext) async throws -> Response {
        // Not cancelled when the client leaves.
        try Response(json: await Task { [daemon] in try await daemon.reload() }.value)
    }

    private func dictionary(_ context: ControlContext) async throws -> LoadedDictionary {
        let name = try context.pathParameter("dictionary")
        guard let loaded = await daemon.dictionary(name) else {
            let names = await daemon.dictionaries().map(\.dictionary.options.name).joined(separator: ", ")
            throw Problem(
                status: 404, title: "Not found",
                detail: "There is no dictionary \(name)" + (names.isEmpty ? "." : "; there are: \(names)."))
        }
        return loaded
    }
}

extension DictionaryVersionReply {
    fileprivate init(_ version: DictionaryVersion) {
        self.init(
            version: version.version, loadedAt: WireTime(microseconds: version.loadedMicroseconds),
            lastLoadedAt: WireTime(microseconds: version.lastLoadedMicroseconds), definitions: version.definitions,
            key: version.key, files: version.hasFiles)
    }
}

/// The body of a response with the files of a version. They may have hundreds of megabytes together, so each is read
/// when the client has received the previous ones.
struct DictionaryFilesBody: Sendable {
    let dictionary: String
    let version: String
    let names: [(name: String, bytes: Int)]
    let memory: Budget
    /// Reads one file; `nil` if it is no longer kept.
    let file: @Sendable (_ name: String) async throws -> DefinitionFile?

    /// - Parameter chunkBytes: small files are written together up to this size.
    /// - Throws: if the connection is closed, or if a file is gone; then the client sees an incomplete body.
    func write(to body: consuming PacedBody, chunkBytes: Int) async throws {
        var json = JSONWriter(deferringFrom: JSONPieces.partBytes)
        json.beginObject()
        json.member("dictionary", dictionary)
        json.member("version", version)
        json.key("files")
        json.beginArray()
        for (name, bytes) in names {
            // Nothing is kept while this waits for memory.
            if json.pendingBytes + bytes > chunkBytes { try await body.write(json.take()) }
            let share = bytes > chunkBytes ? try await memory.take(EventSource.copies * bytes) : nil
            guard let file = try await file(name) else { throw FileIsGone() }
            json.beginObject()
            json.member("name", file.name)
            json.member("text", LargeValue(.text, file.bytes))
            if !file.bytes.isUTF8 { json.member("base64", LargeValue(.base64, file.bytes)) }
            json.endObject()
            if json.pendingBytes >= chunkBytes { try await body.write(json.take()) }
            withExtendedLifetime(share) {}
        }
        json.endArray()
        json.endObject()
        try await body.write(json.take())
        try await body.finish()
    }

    /// The version was removed while it was sent.
    struct FileIsGone: Error {}
}
