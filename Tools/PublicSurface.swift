import Foundation

/// Writes the public declarations of modules as text, one declaration a line, from symbol graphs.
///
/// usage: public-surface GRAPHS OUTPUT NAMES
///
/// NAMES is a file with the names of types that apps have from elsewhere.
@main
struct PublicSurface {
  /// How many public types a library may have, nested ones included. Half of those of the SDK are
  /// what its backend is asked and answers, and the requests that an app's own transport sends.
  static let limits = [
    "Expressions": 30, "Pricing": 25, "RuleEngine": 70, "RuleBatch": 10, "SDK": 140, "SDKLive": 2,
    "SDKHooks": 3,
    "SDKTesting": 5, "SDKSQLite": 1,
  ]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    let (graphs, output) = (arguments[0], arguments[1])
    let taken = Set(
      try String(contentsOf: arguments[2], encoding: .utf8).split(whereSeparator: \.isNewline)
        .filter { !$0.hasPrefix("#") }.flatMap { $0.split(separator: " ").map(String.init) })
    var faults: [String] = []
    for module in limits.keys.sorted() {
      let files = try FileManager.default.contentsOfDirectory(atPath: graphs.path).sorted()
        .filter { $0.hasPrefix("\(module).") || $0.hasPrefix("\(module)@") }
      let parts = try files.map {
        try SymbolGraph(decoding: graphs.appendingPathComponent($0), of: module)
      }
      let types = parts.flatMap(\.types)
      print("\(module): \(types.count) public types of at most \(limits[module] ?? 0)")
      if types.count > limits[module] ?? 0 {
        faults.append(
          "\(module) has \(types.count) public types, and may have \(limits[module] ?? 0)")
      }
      for path in types.map(\.path) where path.count == 1 && taken.contains(path[0]) {
        faults.append("\(module).\(path[0]) has the name of a type that apps have from elsewhere")
      }
      for type in types where type.path.contains(where: { $0.hasPrefix("_") }) {
        faults.append("\(module).\(type.path.joined(separator: ".")) begins with an underscore")
      }
      for type in types where !type.isDocumented {
        faults.append("\(module).\(type.path.joined(separator: ".")) has no docstring")
      }
      try parts.map(\.text).joined(separator: "\n").write(
        to: output.appendingPathComponent("\(module).txt"), atomically: true, encoding: .utf8)
    }
    for fault in faults { FileHandle.standardError.write(Data("api: \(fault)\n".utf8)) }
    if !faults.isEmpty { exit(1) }
  }
}

/// The symbols of a module, or those that it adds to another one's types.
struct SymbolGraph {
  struct Symbol {
    var path: [String]
    var declaration: String
    var isType: Bool
    var isDocumented: Bool
  }

  private static let typeKinds: Set = [
    "swift.struct", "swift.enum", "swift.class", "swift.protocol", "swift.actor", "swift.typealias",
  ]
  /// What every type conforms to, and what follows from another conformance.
  private static let implied: Set = [
    "Copyable", "Escapable", "SendableMetatype", "Equatable", "Sendable",
  ]

  /// The module whose types are extended, or nil.
  private let extended: String?
  private let symbols: [Symbol]

  var types: [Symbol] { symbols.filter(\.isType) }

  init(decoding file: URL, of module: String) throws {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
    let name = file.lastPathComponent.dropLast(".symbols.json".count)
    extended = name.firstIndex(of: "@").map { String(name[name.index(after: $0)...]) }
    var protocols: [String: [String]] = [:]
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
      let name = relationship.targetFallback?.split(separator: ".").last.map(String.init)
      protocols[relationship.source, default: []].append(
        name ?? graph.name(of: relationship.target) ?? relationship.target)
    }
    symbols = graph.symbols.map { symbol in
      var declaration = symbol.declarationFragments.map(\.spelling).joined()
        .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .joined(separator: " ")
        // The compiler writes a type through an alias in it now and then: `Value.Value`.
        .replacing(#/\b(\w+)\.\1\b/#) { $0.output.1 }
      let isType = SymbolGraph.typeKinds.contains(symbol.kind.identifier)
      let conforms = Set(protocols[symbol.identifier.precise] ?? []).subtracting(
        SymbolGraph.implied)
      if isType, !conforms.isEmpty {
        declaration += ": " + conforms.sorted().joined(separator: ", ")
      }
      return Symbol(
        path: symbol.pathComponents, declaration: declaration, isType: isType,
        isDocumented: symbol.docComment != nil)
    }.sorted {
      ($0.path.joined(separator: "\u{1}"), $0.declaration)
        < ($1.path.joined(separator: "\u{1}"), $1.declaration)
    }
  }

  /// One declaration a line, members below their types.
  var text: String {
    var lines = extended.map { ["extensions of \($0)"] } ?? []
    for symbol in symbols {
      let depth = symbol.path.count - 1
      lines.append(
        extended == nil
          ? String(repeating: "  ", count: depth) + symbol.declaration
          : "  \(symbol.path.dropLast().joined(separator: ".")): \(symbol.declaration)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// What is read of a symbol graph's JSON.
private struct Graph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable { var spelling: String }
    struct Comment: Decodable {}

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var docComment: Comment?
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  func name(of identifier: String) -> String? {
    symbols.first { $0.identifier.precise == identifier }?.pathComponents.joined(separator: ".")
  }
}
