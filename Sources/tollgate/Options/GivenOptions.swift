internal import ArgumentParser
internal import Expressions

/// Finds options that the parser accepts although they are likely a mistake.
enum GivenOptions {
  /// Rejects an option with one value that is used twice, because the parser would use the last value. Also rejects an
  /// empty value, which usually comes from an unset variable.
  static func check(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let words = arguments.prefix { $0 != "--" }.flatMap { argument in
      argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        : [argument[...]]
    }
    if let (name, _) = zip(words, words.dropFirst()).first(where: {
      $0.hasPrefix("--") && $1.isEmpty
    }) {
      throw ValidationError("\(name) is empty; is a shell variable unset?")
    }
    let names = words.filter { $0.hasPrefix("-") }
    // Asking the parser for its options takes a while. A short option may be an alias of a long option.
    guard Set(names).count < names.count || names.contains(where: { $0.count == 2 }) else { return }
    let described = try Value.parse(json: command._dumpHelp().utf8)
    for option in described["command"]?["arguments"]?.elements ?? []
    where option["kind"] == "option" && option["isRepeating"] == false {
      let own = (option["names"]?.elements ?? []).compactMap { name in
        name["name"]?.text.map { (name["kind"] == "long" ? "--" : "-") + $0 }
      }
      let given = names.filter { own.contains(String($0)) }
      if given.count > 1 {
        throw ValidationError("\(given[1]) is given twice, but allows only one value")
      }
    }
  }
}
