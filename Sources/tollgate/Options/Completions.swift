internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// The completions of a shell.
enum Completions {
  /// The placements of the config on the command line.
  static let placements = CompletionKind.custom { words, _, _ in
    config(in: words)?.placements.map(\.name) ?? []
  }

  /// The audiences of the placement on the command line, or of all placements. An audience without an ID appears by its
  /// index.
  static let audiences = CompletionKind.custom { words, _, _ in
    let asked = CommandWords.value(of: "--placement", in: words)
    let placements = config(in: words)?.placements.filter { asked == nil || $0.name == asked } ?? []
    var known: Set<String> = []
    return placements.flatMap(\.audiences).map { audience in
      let id = audience.id ?? audience.experimentID
      return id.isEmpty ? String(audience.index) : id
    }.filter { known.insert($0).inserted }
  }

  /// The codes of findings.
  static let codes = CompletionKind.custom { _, _, _ in
    CodePage.all.keys.map(\.rawValue).sorted()
  }

  /// The config in the first argument that is a config file.
  private static func config(in words: [String]) -> Config? {
    for word in words.dropFirst(2) where !word.hasPrefix("-") && FileText.isFile(word) {
      guard let bytes = try? FileText.read(word), let config = Config.decode(bytes).output,
        !config.placements.isEmpty
      else { continue }
      return config
    }
    return nil
  }
}
