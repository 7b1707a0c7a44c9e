internal import Expressions

/// A paywall text to measure, with its data and its expected output.
struct PaywallString: Sendable {
  var id: String
  var template: String
  var expected: String
  /// The name of its context.
  var context: String
  /// The context as JSON.
  var data: [UInt8]
  /// The paths that it reads.
  var paths: [String]

  /// Whether the text consists of paths and literal text.
  var hasOnlyPaths: Bool {
    !template.contains("{%") && !template.contains("|") && !template.contains("[")
  }

  /// Reads the cases of the suite paywall-strings that belong to the set that is measured.
  static func parse(_ bytes: [UInt8], path: String, set: String) throws(InputError)
    -> [PaywallString]
  {
    var strings: [PaywallString] = []
    for value in try JSONInput.parseLines(bytes, path: path) {
      guard case .string(let id)? = value["id"], case .string(let template)? = value["template"],
        case .string(let expect)? = value["expect"], case .string(let context)? = value["context"],
        let data = value["data"]
      else { throw InputError(path, "a text has 'id', 'template', 'expect', 'context' and 'data'") }
      guard value["set"] == .string(set) else { continue }
      var expected = expect
      if case .string(let other)? = value["expect_liquidjs"] { expected = other }
      var paths: [String] = []
      if case .list(let list)? = value["vars"] {
        for case .string(let path) in list { paths.append(path) }
      }
      strings.append(
        PaywallString(
          id: id, template: template, expected: expected, context: context,
          data: Array(data.json.utf8), paths: paths))
    }
    return strings
  }
}
