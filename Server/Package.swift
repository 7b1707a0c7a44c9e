// swift-tools-version: 6.1
import PackageDescription

// The service asks the engine more than its public API answers, so it counts as one of Tollgate's own
// targets: it takes that package's name, which is its folder's, and not the one that SwiftPM would give it.
let outer = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "tollgate").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-package-name", outer]),
]

let engine: [Target.Dependency] = [
  "Expressions", "Pricing", "Requests", "RuleBatch", "RuleEngine", "RuleInsight",
]
.map { .product(name: $0, package: "tollgate") }

let http: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "GRDB", package: "GRDB.swift"),
  .product(name: "Crypto", package: "swift-crypto"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
  .product(name: "Tracing", package: "swift-distributed-tracing"),
]

// Only those who build with `--traits PostgreSQL` need libpq.
let database: [Target.Dependency] = [
  .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))
]

// The C library and the command, whose answers tests compare with the service's. The library needs compilers
// that know `@c @implementation`.
#if compiler(>=6.3)
  let library: [Target.Dependency] = [
    .product(name: "TollgateC", package: "tollgate"),
    .product(name: "tollgate", package: "tollgate"),
  ]
#else
  let library: [Target.Dependency] = [.product(name: "tollgate", package: "tollgate")]
#endif

// A package of its own, so that nobody who builds Tollgate builds this.
let package = Package(
  name: "tollgate-server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "tollgate-server", targets: ["tollgate-server"])],
  traits: [
    .trait(name: "PostgreSQL", description: "State in PostgreSQL, with libpq.")
  ],
  dependencies: [
    .package(name: "tollgate", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // Decisions over HTTP, and what every route needs: access, limits, errors, the database.
    .target(
      name: "Service",
      dependencies: engine + http + database,
      // The files of corpus/schemas that `/openapi.json` is made of.
      resources: [.embedInCode("Schemas")],
      packageAccess: false, swiftSettings: settings),
    // The backend that clients of paywalls talk to, for trying out and for tests.
    .target(
      name: "Sandbox",
      dependencies: engine + http + [
        "Service",
        .product(name: "X509", package: "swift-certificates"),
      ],
      packageAccess: false, swiftSettings: settings),
    // A page to try rules on.
    .target(
      name: "Playground",
      dependencies: engine + http + ["Service"],
      resources: [.embedInCode("Page")],
      packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "tollgate-server",
      dependencies: engine + http + [
        "Service", "Sandbox", "Playground",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      packageAccess: false, swiftSettings: settings),
    // What Server/Benchmarks compares the service with.
    .executableTarget(
      name: "json-hello",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ServiceTests",
      dependencies: engine + http + library + ["Service", "Playground"],
      packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "SandboxTests",
      dependencies: engine + http + [
        "Sandbox", "Service", .product(name: "SDK", package: "tollgate"),
        .product(name: "SDKLive", package: "tollgate"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      packageAccess: false, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
