internal import Expressions

/// Keys that SDKs require and a config lacks, although this engine does not need the keys.
///
/// An export from a dashboard has all required keys, and a handwritten config has few of them. Therefore up to three
/// missing keys are reported at their places, and more keys are reported together.
struct AbsentKeys {
  struct Key {
    var name: String
    /// The element that lacks the key.
    var path: String
    /// The SDKs that require the key.
    var peers: [Diagnostic.PeerEffect.Peer]
    /// The effect of the missing key in this engine, if any.
    var meaning: String?

    /// The path without the numbers of elements, such as `paywall_responses[].id`.
    var kind: String {
      var kind = ""
      var isIndex = false
      for character in path {
        if character == "]" { isIndex = false }
        if !isIndex { kind.append(character) }
        if character == "[" { isIndex = true }
      }
      return kind.isEmpty ? name : "\(kind).\(name)"
    }
  }

  private var keys: [Key] = []

  /// The largest number of keys that are reported separately.
  private static let few = 3
  /// The largest number of elements that are named if missing keys are reported together.
  private static let mostRelated = 20

  mutating func add(_ key: Key) { keys.append(key) }

  /// Removes the missing keys of the element at a path.
  mutating func remove(at path: String) { keys.removeAll { $0.path == path } }

  var diagnostics: [Diagnostic] {
    let (telling, plain) = (keys.filter { $0.meaning != nil }, keys.filter { $0.meaning == nil })
    let alone = plain.count <= AbsentKeys.few ? plain : []
    let together = plain.count > AbsentKeys.few ? [diagnostic(of: plain)] : []
    return together + (telling + alone).map(diagnostic)
  }

  private func diagnostic(of key: Key) -> Diagnostic {
    Diagnostic(
      .notAnExport, "'\(key.name)' is missing" + (key.meaning.map { "; \($0)" } ?? ""),
      severity: .warning, path: key.path,
      peers: [Diagnostic.PeerEffect(key.peers, .rejectsConfig)])
  }

  /// One diagnostic for many keys, at their common path.
  private func diagnostic(of keys: [Key]) -> Diagnostic {
    var kinds: [String] = []
    var known: Set<String> = []
    for key in keys where known.insert(key.kind).inserted { kinds.append(key.kind) }
    let list = kinds.count > 3 ? Array(kinds.prefix(2)) : kinds
    let rest = kinds.count - list.count
    let names =
      rest > 0
      ? list.joined(separator: ", ") + " and \(rest) more"
      : list.dropLast().joined(separator: ", ") + (list.count > 1 ? " and " : "")
        + (list.last ?? "")
    let peers = Diagnostic.PeerEffect.Peer.all.filter { peer in
      keys.contains { $0.peers.contains(peer) }
    }
    return Diagnostic(
      .notAnExport,
      "\(names) \(kinds.count == 1 ? "is" : "are") missing: SDKs require them, Tollgate does not",
      severity: .warning, path: commonPath(keys), related: related(keys),
      peers: [Diagnostic.PeerEffect(peers, .rejectsConfig)])
  }

  /// The missing keys by element, in the order of the elements.
  private func related(_ keys: [Key]) -> [Diagnostic.Related] {
    var paths: [String] = []
    var names: [String: [String]] = [:]
    for key in keys {
      if names[key.path] == nil { paths.append(key.path) }
      names[key.path, default: []].append("'\(key.name)'")
    }
    return paths.prefix(AbsentKeys.mostRelated).map { path in
      let list = names[path] ?? []
      return Diagnostic.Related(
        path: path,
        message: list.joined(separator: ", ") + (list.count == 1 ? " is missing" : " are missing"))
    }
  }

  /// The path of the smallest element that contains all other elements.
  private func commonPath(_ keys: [Key]) -> String {
    guard var common = keys.first?.path else { return "" }
    for key in keys {
      while !AbsentKeys.holds(common, key.path) { common = AbsentKeys.parent(of: common) }
    }
    return common
  }

  private static func holds(_ path: String, _ other: String) -> Bool {
    path.isEmpty || other == path || other.hasPrefix(path + ".") || other.hasPrefix(path + "[")
  }

  private static func parent(of path: String) -> String {
    path.lastIndex { $0 == "." || $0 == "[" }.map { String(path[..<$0]) } ?? ""
  }
}
