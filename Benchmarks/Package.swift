// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own, so that nobody who builds Tollgate builds this. It sees what any other
// package sees: the public API.
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
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
