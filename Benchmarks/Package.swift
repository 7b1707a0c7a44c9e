// swift-tools-version: 6.1
import PackageDescription

// This measures more than the public API, so it counts as one of Tollgate's own targets: it uses the name of that package,
// which is the name of its folder, and not the one that SwiftPM would choose.
let outer = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "tollgate").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-package-name", outer]),
]

// A separate package, so that building Tollgate does not build this.
let package = Package(
  name: "tollgate-benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "bench", targets: ["bench"])],
  dependencies: [
    .package(name: "tollgate", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(name: "Probes"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "Probes",
        .product(name: "Expressions", package: "tollgate"),
        .product(name: "Pricing", package: "tollgate"),
        .product(name: "RuleBatch", package: "tollgate"),
        .product(name: "RuleEngine", package: "tollgate"),
        .product(name: "SDK", package: "tollgate"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: ".",
      exclude: ["Data/README.md", "README.md", "Sources/Probes", "peers"],
      sources: ["Sources/bench"],
      resources: [
        .embedInCode("Data/rules.jsonl"), .embedInCode("Data/contexts.json"),
        .embedInCode("Data/superscript.jsonl"),
      ],
      packageAccess: false, swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
