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

  /// A script with the names of commands behind `help`, of which the parser's own knows nothing; any
  /// other text as it is.
  static func withHelp(_ text: String) -> String {
    let names = TollgateCommand.configuration.subcommands.map { $0._commandName }.joined(
      separator: " ")
    if text.hasPrefix("#compdef") {
      return text.replacing("'*:subcommands:'", with: "'*:command:(\(names))'")
    }
    if text.contains("\ncomplete -o filenames -F _tollgate tollgate") {
      let end = "    __tollgate_offer_flags_options -1\n}\n\ncomplete -o"
      return text.replacing(
        end,
        with: "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n" + end)
    }
    guard text.hasPrefix("function __tollgate") else { return text }
    return text + "\ncomplete -c 'tollgate' -n '__tollgate_should_offer_completions_for_positional "
      + "\"tollgate help\" -ge 1' -fa '\(names)'"
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
