// swift-tools-version: 6.2

import PackageDescription

/// What every target of ours is compiled with: Swift 6 mode, explicit imports, and no warning left standing.
let commonSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "gloss",
    products: [
        .executable(name: "glossd", targets: ["glossd"]),
        .executable(name: "glossctl", targets: ["glossctl"]),
        .executable(name: "gloss-dictionary", targets: ["gloss-dictionary"]),
        .executable(name: "gloss-sql", targets: ["gloss-sql"]),
        .executable(name: "gloss-receiver", targets: ["gloss-receiver"]),
        .plugin(name: "GenerateEvents", targets: ["GenerateEvents"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CLZ4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CLZMA", providers: [.apt(["liblzma-dev"])]),
        .systemLibrary(name: "CPCRE2", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "JSON", swiftSettings: commonSettings),
        .target(name: "Model", dependencies: ["CLinux"], swiftSettings: commonSettings),
        .target(name: "Predicates", dependencies: ["Model"], swiftSettings: commonSettings),
        .target(name: "Linux", dependencies: ["Model", "CLinux"], swiftSettings: commonSettings),
        .target(
            name: "Settings", dependencies: ["Model", "JSON", "Predicates", yams], swiftSettings: commonSettings),
        .target(
            name: "Journal", dependencies: ["Model", "Linux", "CLZ4", "CLZMA", "CZstd"], swiftSettings: commonSettings),
        .target(name: "Definitions", dependencies: ["Model", "Linux"], swiftSettings: commonSettings),
        .target(name: "Resolve", dependencies: ["Model", "JSON", crypto], swiftSettings: commonSettings),
        .target(
            name: "Generate", dependencies: ["Model", mustache], resources: [.embedInCode("Templates")],
            swiftSettings: commonSettings),
        .target(
            name: "DictionaryTool",
            dependencies: ["Model", "Linux", "JSON", "Settings", "Definitions", "Generate", argumentParser],
            swiftSettings: commonSettings),
        .target(
            name: "Store",
            dependencies: [
                "Model", "Linux", "JSON", "CLinux", "CLZ4", "CPCRE2", "CZstd", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: commonSettings),
        .target(name: "API", dependencies: ["Model", "JSON", "Predicates"], swiftSettings: commonSettings),
        .target(name: "Queries", dependencies: ["Model", "JSON", "API", "Store"], swiftSettings: commonSettings),
        .target(
            name: "Watches", dependencies: ["Model", "Predicates", "Settings", "Store", "API"],
            swiftSettings: commonSettings),
        .target(
            name: "SQL",
            dependencies: [
                "Model", "Linux", "JSON", "API", "Store", .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Serve",
            dependencies: [
                "Model", "Predicates", "Linux", "JSON", "API", "Store", "Queries", "SQL", "Watches", httpTypes,
                hummingbird,
                hummingbirdCore, logging,
                nioCore, nioHTTP1,
                nioPosix, serviceLifecycle,
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Forward",
            dependencies: [
                "Model", "Linux", "API", "Store", "Emit", "CZlib", asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL,
            ],
            swiftSettings: commonSettings),
        .target(name: "Emit", dependencies: ["Model", "Linux", "CLinux"], swiftSettings: commonSettings),
        .target(
            name: "Dictionaries",
            dependencies: [
                "Model", "Linux", "Definitions", "Resolve", "Store", "API", crypto, logging, serviceLifecycle,
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Daemon",
            dependencies: [
                "Model", "Predicates", "Linux", "Settings", "Journal", "Definitions", "Dictionaries", "Resolve",
                "Store", "API", "Serve", "Forward", "Watches", "Emit",
                "CSystemd", argumentParser, logging, serviceLifecycle, unixSignals,
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Control", dependencies: ["Model", "Predicates", "Linux", "JSON", "API", "Emit", argumentParser],
            swiftSettings: commonSettings),
        .executableTarget(name: "glossd", dependencies: ["Linux", "Daemon"], swiftSettings: commonSettings),
        .executableTarget(name: "glossctl", dependencies: ["Linux", "Control"], swiftSettings: commonSettings),
        .executableTarget(
            name: "gloss-dictionary", dependencies: ["Linux", "DictionaryTool"], swiftSettings: commonSettings),
        .executableTarget(name: "gloss-sql", dependencies: ["Linux", "SQL"], swiftSettings: commonSettings),
        .executableTarget(
            name: "gloss-receiver",
            dependencies: [
                "Model", "Linux", "CZlib", argumentParser, httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
                unixSignals,
            ],
            swiftSettings: commonSettings),

        .plugin(
            name: "GenerateEvents",
            capability: .command(
                intent: .custom(
                    verb: "generate-events", description: "Writes type-safe code for the events of a dictionary."),
                permissions: [.writeToPackageDirectory(reason: "The code is written into the package.")]),
            dependencies: ["gloss-dictionary"], path: "Sources/Plugins/GenerateEvents"),

        .target(
            name: "TestSupport", dependencies: ["Model", "API", "Emit", logging], path: "Tests/TestSupport",
            swiftSettings: commonSettings),
        .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport", grdb], swiftSettings: commonSettings),
        .testTarget(
            name: "PredicatesTests", dependencies: ["Model", "Definitions", "Predicates", "TestSupport"],
            swiftSettings: commonSettings
        ),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: commonSettings),
        .testTarget(
            name: "WatchesTests",
            dependencies: ["Model", "API", "Definitions", "Store", "Watches", "TestSupport", grdb],
            swiftSettings: commonSettings),
        .testTarget(name: "SettingsTests", dependencies: ["Model", "Settings"], swiftSettings: commonSettings),
        .testTarget(
            name: "JournalTests",
            dependencies: ["Model", "Linux", "Journal", "TestSupport", "CLZ4", "CLZMA", "CSystemd", "CZstd"],
            exclude: ["Fixtures"], swiftSettings: commonSettings),
        .testTarget(
            name: "DefinitionsTests", dependencies: ["Model", "Definitions", "Resolve", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: commonSettings),
        .testTarget(
            name: "ResolveTests", dependencies: ["Model", "JSON", "Definitions", "Resolve", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: commonSettings),
        .testTarget(
            name: "GenerateTests",
            dependencies: ["Model", "Definitions", "Resolve", "Generate", "TestSupport"],
            exclude: ["Fixtures", "Snapshots"], swiftSettings: commonSettings),
        .testTarget(
            name: "DictionaryToolTests",
            dependencies: ["Model", "DictionaryTool", "TestSupport", "gloss-dictionary"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "DictionariesTests",
            dependencies: [
                "Model", "Linux", "Definitions", "Resolve", "Store", "API", "Dictionaries", "TestSupport", grdb,
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "Model", "Linux", "Settings", "Journal", "Definitions", "Dictionaries", "Resolve", "Store", "API",
                "Serve", "Forward", "Watches", "Emit", "Daemon", "TestSupport", logging, serviceLifecycle,
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "StoreTests", dependencies: ["Model", "Store", "TestSupport", "CLZ4", "CZstd", grdb],
            swiftSettings: commonSettings),
        .testTarget(
            name: "APITests", dependencies: ["Model", "Predicates", "JSON", "API", "TestSupport"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "QueriesTests",
            dependencies: ["Model", "JSON", "Definitions", "API", "Store", "Queries", "TestSupport"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "SQLTests",
            dependencies: [
                "API", "Model", "Definitions", "Store", "SQL", "TestSupport",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "ServeTests",
            dependencies: [
                "Model", "Predicates", "Linux", "JSON", "API", "Store", "Queries", "SQL", "Watches", "Serve",
                "TestSupport", "gloss-sql", httpTypes, hummingbird, logging, nioCore, nioPosix, serviceLifecycle,
            ],
            exclude: ["Schemathesis"], swiftSettings: commonSettings),
        .testTarget(
            name: "ForwardTests",
            dependencies: [
                "Model", "Linux", "API", "Store", "Forward", "CZlib", "TestSupport", "gloss-receiver", asyncHTTPClient,
                nioCore,
                nioPosix, nioHTTP1, nioSSL,
            ],
            swiftSettings: commonSettings),
        .testTarget(name: "EmitTests", dependencies: ["Emit", "TestSupport"], swiftSettings: commonSettings),
        .testTarget(
            name: "ControlTests",
            dependencies: ["Model", "Predicates", "JSON", "API", "Control", "TestSupport", "glossctl", argumentParser],
            exclude: ["Fixtures", "Snapshots"], swiftSettings: commonSettings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Model", "TestSupport", "glossd", "glossctl", "gloss-dictionary", "gloss-sql", "gloss-receiver",
            ],
            exclude: ["Fixtures"], swiftSettings: commonSettings),
        .executableTarget(
            name: "gloss-bench",
            dependencies: [
                "JSON", "Model", "Linux", "Journal", "Definitions", "Resolve", "Store", "TestSupport", argumentParser,
            ],
            path: "Tests/Bench", swiftSettings: commonSettings),
        .executableTarget(
            name: "gloss-enumerate", path: "Tests/Enumerate", linkerSettings: [.linkedLibrary("systemd")]),
    ],
    swiftLanguageModes: [.v6]
)
