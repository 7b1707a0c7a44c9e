// swift-tools-version: 6.1
import PackageDescription

// This counts as one of Tollgate's own targets, and sees what they see of each other: it takes that
// package's name, which is its folder's, and not the one that SwiftPM would give it.
let outer = String(
  (Context.packageDirectory.split(separator: "/").dropLast().last ?? "tollgate").lowercased()
    .map { $0.isLetter || $0.isNumber ? $0 : "_" })

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-package-name", outer]),
]

// One executable a target. libFuzzer brings `main`, so these link only with `--sanitize fuzzer`;
// Tools/fuzz.sh builds them.
let targets = ["lexer", "parser", "evaluator", "regex", "json", "config"].map { "fuzz-\($0)" }

// A package of its own, so that nobody who builds Tollgate builds this. It looks into Tollgate's
// modules, which have to be built with `-enable-testing`.
let package = Package(
  name: "tollgate-fuzz",
  platforms: [.macOS(.v15)],
  products: targets.map { .executable(name: $0, targets: [$0]) },
  dependencies: [.package(name: "tollgate", path: "..")],
  targets: [
    .target(
      name: "Checks",
      dependencies: [
        .product(name: "Expressions", package: "tollgate"),
        .product(name: "RuleEngine", package: "tollgate"),
      ],
      packageAccess: false, swiftSettings: settings)
  ]
    + targets.map {
      .executableTarget(
        name: $0, dependencies: ["Checks"], packageAccess: false,
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    },
  swiftLanguageModes: [.v6]
)
