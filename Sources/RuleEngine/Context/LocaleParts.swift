/// The parts of a locale identifier such as `zh_Hans_CN` or `en-US`.
package enum LocaleParts {
  package static func language(_ locale: String) -> String {
    String(locale.prefix { $0 != "_" && $0 != "-" })
  }

  /// The last part of a locale, if that part is a region.
  package static func region(_ locale: String) -> String? {
    let parts = locale.prefix { $0 != "@" }.split { $0 == "_" || $0 == "-" }
    guard parts.count > 1, let last = parts.last, last.count == 2 || last.count == 3 else {
      return nil
    }
    return String(last)
  }
}
