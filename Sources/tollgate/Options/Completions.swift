internal import ArgumentParser
internal import Expressions
internal import RuleEngine
internal import RuleInsight

/// What a shell offers where somebody presses Tab.
enum Completions {
  /// The placements of the config that stands on the command line.
  static let placements = CompletionKind.custom { words, _, _ in
    config(in: words)?.placements.map(\.name) ?? []
  }

  /// The audiences of the placement that stands there, or of all, by ID where they have one.
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

  /// The first word behind the command's name that is a file with a config in it.
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
