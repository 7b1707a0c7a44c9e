// swift-tools-version: 6.1
import PackageDescription

// An app takes the libraries with `traits: []` or `traits: ["SQLite"]`, and fetches and links nothing
// else. `Command` is on where nobody says anything, in this folder, and stands for everything. It is one
// trait and not several, because SwiftPM hands those that are on to the compiler in an order that
// differs from run to run, and would compile everything anew each time.
let command: TargetDependencyCondition? = .when(traits: ["Command"])

// Set TOLLGATE_NO_PCRE2=1 to build without libpcre2, as the platforms that lack it do: regular
// expressions then run on the matcher in Sources/Regex alone. A trait alone would not do here: it can
// only be left out together with all the others.
let withoutPCRE2 = Context.environment["TOLLGATE_NO_PCRE2"] == "1"

// One pass of debug builds, which nothing but warnings about constants needs, takes a tenth of the compilers'
// time (docs/building.md). SwiftPM refuses flags like these in a package that another one depends on by
// version, and keeps such packages in a folder "checkouts".
let isDependency = Context.packageDirectory.contains("/checkouts/")
let quick: [SwiftSetting] =
  isDependency
  ? []
  : [
    .unsafeFlags(
      ["-Xllvm", "-sil-disable-pass=mandatory-redundant-load-elimination"],
      .when(configuration: .debug))
  ]

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (withoutPCRE2 ? [.define("TOLLGATE_NO_PCRE2")] : []) + quick

// Optimising tests takes longer than running them.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let regexLibrary: [Target.Dependency] =
  withoutPCRE2
  ? [] : [.target(name: "CPCRE2", condition: .when(platforms: [.linux], traits: ["Command"]))]

let regexTarget: [Target] =
  withoutPCRE2
  ? []
  : [
    .systemLibrary(
      name: "CPCRE2", pkgConfig: "libpcre2-8",
      providers: [.apt(["libpcre2-dev"])])
  ]

// Each target names all modules whose layouts its code knows, also those that it gets through another
// one: a target is compiled again only when a module that it names has changed.
let basics: [Target.Dependency] = ["CivilTime", "Regex"]
let engine = basics + ["Expressions", "Pricing", "RuleEngine"]
let batch = engine + ["RuleBatch"]
let insight = batch + ["RuleInsight"]

// The C library is written with `@c @implementation`, which compilers before 6.3 do not know. Everything else
// builds with 6.1.
#if compiler(>=6.3)
  // For the service's tests, which compare its answers with the library's.
  let libraryProducts: [Product] = [.library(name: "TollgateC", targets: ["TollgateC"])]
  let library: [Target] = [
    .systemLibrary(name: "CTollgate"),
    // What Tools/link-library.sh links into libtollgate.
    .target(
      name: "TollgateC", dependencies: insight + ["CArrow", "CTollgate", "CShims", "Requests"],
      swiftSettings: settings),
    .testTarget(
      name: "TollgateCTests",
      dependencies: batch + ["CArrow", "CTollgate", "Requests", "TestSupport", "TollgateC"],
      swiftSettings: testSettings),
  ]
#else
  let library: [Target] = []
  let libraryProducts: [Product] = []
#endif

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: command)

let package = Package(
  name: "tollgate",
  // All of them because of two things that came with the systems of 2024 and have no substitute on
  // older ones: numbers of 128 bits (`UInt128`) for shares, prices and IDs, in every library, and tasks
  // with an executor of their own (`TaskExecutor`) in the SDK. Locks, spans and typed errors would do
  // with less.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Expressions", targets: ["Expressions"]),
    .library(name: "Pricing", targets: ["Pricing"]),
    .library(name: "RuleEngine", targets: ["RuleEngine"]),
    .library(name: "RuleBatch", targets: ["RuleBatch"]),
    .library(name: "RuleInsight", targets: ["RuleInsight"]),
    .library(name: "Requests", targets: ["Requests"]),
    .library(name: "SDK", targets: ["SDK"]),
    .library(name: "SDKLive", targets: ["SDKLive"]),
    .library(name: "SDKTesting", targets: ["SDKTesting"]),
    .library(name: "SDKHooks", targets: ["SDKHooks"]),
    .library(name: "SDKSQLite", targets: ["SDKSQLite"]),
    .executable(name: "tollgate", targets: ["tollgate"]),
  ] + libraryProducts,
  traits: [
    .trait(
      name: "Command",
      description: "All that the command and the tests are made with, libpcre2 on Linux too."),
    .trait(name: "SQLite", description: "SDKSQLite: what the SDK keeps, in a database."),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: regexTarget + library + [
    .systemLibrary(name: "CArrow"), .systemLibrary(name: "CShims"),
    .systemLibrary(name: "CThreads"),
    .target(name: "CivilTime", swiftSettings: settings),
    .target(name: "Regex", dependencies: regexLibrary, swiftSettings: settings),
    .target(
      name: "Expressions", dependencies: basics + ["CShims"], exclude: ["README.md"],
      swiftSettings: settings),
    .target(name: "Pricing", dependencies: basics + ["Expressions"], swiftSettings: settings),
    .target(
      name: "RuleEngine", dependencies: basics + ["Expressions", "Pricing"],
      exclude: ["Rendering/README.md"],
      swiftSettings: settings),
    // Many users at once: columns, counts, outcomes, Arrow.
    .target(
      name: "RuleBatch", dependencies: engine + ["CArrow", "CShims"], exclude: ["README.md"],
      swiftSettings: settings),
    // Questions about rules: analysis, lints, comparison, coverage, fuzzing. Apps do not link it.
    .target(
      name: "RuleInsight", dependencies: batch, exclude: ["README.md"], swiftSettings: settings),
    // The floor of the command, the service and the C library: JSON in, JSON out.
    .target(name: "Requests", dependencies: insight + ["CShims"], swiftSettings: settings),
    .target(
      name: "SDK", dependencies: engine + ["CShims"], exclude: ["README.md"],
      swiftSettings: settings),
    // Apart, because on Linux URLSession brings libcurl and some twenty libraries more, which cost a
    // command 8 ms whenever it starts.
    .target(name: "SDKLive", dependencies: engine + ["SDK"], swiftSettings: settings),
    // For tests of apps; no app links it.
    .target(name: "SDKTesting", dependencies: engine + ["SDK"], swiftSettings: settings),
    // Apart, because commands and services have no views that Observation would serve.
    .target(name: "SDKHooks", dependencies: engine + ["SDK"], swiftSettings: settings),
    .target(
      name: "SDKSQLite",
      dependencies: engine + [
        "SDK", "SDKLive",
        .product(
          name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Command", "SQLite"])),
      ],
      swiftSettings: settings),
    // Scripts of what an app and its user do, for `tollgate simulate` and for `conformance`.
    .target(name: "Scenarios", dependencies: insight + ["SDK"], swiftSettings: settings),
    .executableTarget(
      name: "tollgate",
      dependencies: insight + [
        "Requests", "SDK", "Scenarios",
        argumentParser,
        "CShims", "CSQLite", "CThreads", "CZlib", "CZstd",
      ],
      exclude: ["README.md"],
      resources: [.embedInCode("Reporting/Page"), .embedInCode("Starting/Files")],
      swiftSettings: settings),
    // Runs the corpus. No product, so that nobody who takes the command gets suites of others.
    .executableTarget(
      name: "conformance",
      dependencies: insight + [
        "CZlib", "SDK", "Scenarios", argumentParser,
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    // What tests of every target use.
    .target(
      name: "TestSupport", dependencies: batch + ["CArrow"], path: "Tests/Support",
      swiftSettings: settings),
    .testTarget(
      name: "RegexTests", dependencies: basics + ["Expressions", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "CivilTimeTests", dependencies: basics + ["Expressions", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ExpressionsTests",
      dependencies: basics + ["Expressions", "CShims", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PricingTests", dependencies: basics + ["Expressions", "Pricing", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RuleEngineTests", dependencies: batch + ["TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RuleBatchTests", dependencies: batch + ["CArrow", "CShims", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RuleInsightTests", dependencies: insight + ["TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RequestsTests", dependencies: insight + ["Requests", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SDKTests", dependencies: engine + ["SDK", "SDKLive", "SDKHooks", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "SDKSQLiteTests",
      dependencies: engine + [
        "SDK", "SDKLive", "SDKSQLite", "StorageWriter", "CSQLite", "TestSupport",
      ],
      swiftSettings: testSettings),
    // An app that does nothing but change what is kept, for tests that kill it.
    .executableTarget(
      name: "StorageWriter", dependencies: engine + ["SDK", "SDKLive", "SDKSQLite"],
      path: "Tests/StorageWriter", swiftSettings: settings),
    // Sees only what is public, as an app does.
    .testTarget(
      name: "DocumentationTests", dependencies: batch + ["SDK", "SDKLive", "SDKTesting"],
      packageAccess: false,
      swiftSettings: testSettings),
    .testTarget(
      name: "CorpusTests",
      dependencies: insight + ["SDK", "Scenarios", "conformance", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: insight + [
        "tollgate", "Requests", "SDK", "Scenarios", "CSQLite", "TestSupport",
        argumentParser,
      ],
      exclude: ["Messages"],
      swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6]
)

// TOLLGATE_TEST_TARGETS="ExpressionsTests RuleEngineTests" builds these tests, and not what only others need.
if let wanted = Context.environment["TOLLGATE_TEST_TARGETS"] {
  let names = wanted.split(separator: " ").map(String.init)
  let tests = package.targets.filter { $0.type == .test }.map(\.name)
  for name in names where !tests.contains(name) {
    fatalError("TOLLGATE_TEST_TARGETS: '\(name)' must be one of \(tests.joined(separator: ", "))")
  }
  var unwanted: Set<String> = []
  if !names.contains("CommandTests") { unwanted.insert("tollgate") }
  if !names.contains("SDKSQLiteTests") { unwanted.formUnion(["SDKSQLite", "StorageWriter"]) }
  package.targets.removeAll {
    unwanted.contains($0.name) || $0.type == .test && !names.contains($0.name)
  }
  package.products.removeAll { unwanted.contains($0.name) }
}
