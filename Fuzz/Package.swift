// swift-tools-version: 6.1
import PackageDescription

// This package must have the same access as Tollgate's own targets. So it uses the name of that package, which is the
// name of its folder, and not the one that SwiftPM would choose.
let folder = Context.packageDirectory.split(separator: "/").dropLast()
let outer = String(
  (folder.last ?? "tollgate").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// libz and libzstd as the command finds them. They are not products.
let maps = ["CZlib", "CZstd"].flatMap { name in
  ["-Xcc", "-fmodule-map-file=/\(folder.joined(separator: "/"))/Sources/\(name)/module.modulemap"]
}

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-package-name", outer] + maps),
]

// One executable per target. libFuzzer contains `main`, so these only link with `--sanitize fuzzer`. Tools/fuzz.sh
// builds them.
let targets = [
  "lexer", "parser", "evaluator", "superscript", "regex", "json", "config", "agentwallie", "decide",
  "users", "templates", "products", "prices", "bridge",
].map { "fuzz-\($0)" }

let libraries: [Target.Dependency] = [
  "Expressions", "Pricing", "RuleBatch", "RuleEngine", "RuleInsight", "SDK",
].map {
  .product(name: $0, package: "tollgate")
}

// A separate package, so that building Tollgate does not build this. It accesses Tollgate's internals, which must be
// built with `-enable-testing`.
let package = Package(
  name: "tollgate-fuzz",
  platforms: [.macOS(.v15)],
  products: targets.map { .executable(name: $0, targets: [$0]) },
  dependencies: [.package(name: "tollgate", path: "..")],
  targets: [
    // The command is not a library. Its code for reading files of users is compiled here a second time, through links to
    // its folders.
    .target(
      name: "Readers", dependencies: libraries, exclude: ["Reporting/Page", "Starting/Files"],
      sources: [
        "Files/CommandError.swift", "Files/CompressedInput.swift", "Files/Compression.swift",
        "Files/Counting.swift", "Files/FilePlace.swift", "Files/FileSignature.swift",
        "Files/GzipCodec.swift", "Files/Libc.swift", "Files/Lookahead.swift",
        "Files/ZstdCodec.swift",
        "Reading/CSVHeader.swift", "Reading/CSVRecords.swift", "Reading/CSVRows.swift",
        "Reading/CSVTexts.swift", "Reading/LineChunks.swift",
      ],
      packageAccess: false, swiftSettings: settings),
    // Simulated apps, in the same way: `Scenarios` is not a product.
    .target(
      name: "Scripts", dependencies: libraries, packageAccess: false, swiftSettings: settings),
    .target(
      name: "Checks", dependencies: libraries + ["Readers", "Scripts"], packageAccess: false,
      swiftSettings: settings),
  ]
    + targets.map {
      .executableTarget(
        name: $0, dependencies: ["Checks"], packageAccess: false,
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    },
  swiftLanguageModes: [.v6]
)
