// swift-tools-version: 6.1
import PackageDescription

// This counts as one of Tollgate's own targets, and sees what they see of each other: it takes that
// package's name, which is its folder's, and not the one that SwiftPM would give it.
let folder = Context.packageDirectory.split(separator: "/").dropLast()
let outer = String(
  (folder.last ?? "tollgate").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// libz and libzstd as the command finds them; a product of their own they are not.
let maps = ["CZlib", "CZstd"].flatMap { name in
  ["-Xcc", "-fmodule-map-file=/\(folder.joined(separator: "/"))/Sources/\(name)/module.modulemap"]
}

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-package-name", outer] + maps),
]

// One executable a target. libFuzzer brings `main`, so these link only with `--sanitize fuzzer`;
// Tools/fuzz.sh builds them.
let targets = [
  "lexer", "parser", "evaluator", "superscript", "regex", "json", "config", "agentwallie", "decide",
  "users", "templates", "products", "prices", "bridge",
].map { "fuzz-\($0)" }

let libraries: [Target.Dependency] = [
  "Expressions", "Pricing", "RuleBatch", "RuleEngine", "RuleInsight", "SDK",
].map {
  .product(name: $0, package: "tollgate")
}

// A package of its own, so that nobody who builds Tollgate builds this. It looks into Tollgate's
// modules, which have to be built with `-enable-testing`.
let package = Package(
  name: "tollgate-fuzz",
  platforms: [.macOS(.v15)],
  products: targets.map { .executable(name: $0, targets: [$0]) },
  dependencies: [.package(name: "tollgate", path: "..")],
  targets: [
    // The command is no library. What it reads files of users with is compiled here once more, by
    // links to its folders.
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
    // Simulated apps, likewise: `Scenarios` is no product.
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
