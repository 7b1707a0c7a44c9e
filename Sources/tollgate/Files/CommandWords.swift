/// The words of a command line, as far as they are read before parsing.
enum CommandWords {
  /// The value of an option, written `--option value` or `--option=value`; nil if the option has no value.
  static func value(of option: String, in words: some Sequence<String>) -> String? {
    var isNext = false
    for word in words.prefix(while: { $0 != "--" }) {
      if isNext { return word }
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      isNext = word == option
    }
    return nil
  }
}
