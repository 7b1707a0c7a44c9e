// swift-tools-version: 6.1
import PackageDescription

// Separate apps, which only use public API, like yours.

let sdk: [Target.Dependency] = [
  .product(name: "SDK", package: "tollgate"), .product(name: "SDKLive", package: "tollgate"),
]

var targets: [Target] = [
  .executableTarget(
    name: "TerminalApp",
    dependencies: sdk + [
      .product(name: "Expressions", package: "tollgate"),
      .product(name: "Pricing", package: "tollgate"),
      .product(name: "SDKTesting", package: "tollgate"),
    ],
    path: "TerminalApp",
    exclude: ["README.md", "server.py", "test.py"],
    sources: ["Sources"],
    resources: [.embedInCode("Files/config.json"), .embedInCode("Files/paywall.liquid")])
]

// With SwiftUI, an app contains the files of HostApp/Sources. Here they are type-checked against stubs of SwiftUI and
// RevenueCat, which do nothing. None of it is run.
#if os(Linux)
  targets += [
    .target(name: "RevenueCat", path: "HostApp/Stubs/RevenueCat"),
    .target(name: "SwiftUI", path: "HostApp/Stubs/SwiftUI"),
    .target(
      name: "HostApp", dependencies: sdk + ["RevenueCat", "SwiftUI"], path: "HostApp/Sources"),
  ]
#endif

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "tollgate", path: "..")],
  targets: targets,
  swiftLanguageModes: [.v6]
)
