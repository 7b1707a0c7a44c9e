package import Expressions

/// Texts of paywalls in the form that `precompute --render` reads: `{"paywalls": {"IDENTIFIER": {"NAME":
/// "template"}}}`.
package struct TextFile: Hashable, Sendable {
  /// One template.
  package struct Text: Hashable, Sendable {
    package var name: String
    package var template: String

    package init(name: String, template: String) {
      self.name = name
      self.template = template
    }
  }

  /// The texts by paywall, in the order of the file.
  package var paywalls: [(identifier: String, texts: [Text])] = []

  package init() {}

  package static func == (one: TextFile, other: TextFile) -> Bool {
    one.paywalls.elementsEqual(other.paywalls) {
      $0.identifier == $1.identifier && $0.texts == $1.texts
    }
  }

  package func hash(into hasher: inout Hasher) {
    for paywall in paywalls {
      hasher.combine(paywall.identifier)
      hasher.combine(paywall.texts)
    }
  }

  /// The path of a text in diagnostics.
  package static func path(_ identifier: String, _ name: String) -> String {
    "paywalls.\(identifier).\(name)"
  }

  /// Reads texts. Values that are not strings are reported and skipped.
  package static func decode(json: some Sequence<UInt8>) -> Compilation<TextFile> {
    let bytes = Array(json)
    let root: Value
    do throws(JSONFault) {
      root = try Value.parse(json: bytes)
    } catch {
      return Compilation(output: nil, diagnostics: [Diagnostic(error, in: bytes)])
    }
    guard case .map(let paywalls)? = root["paywalls"] else {
      let problem = Diagnostic(
        .decodeFailure, "this file contains no paywall texts",
        suggestion: "write {\"paywalls\": {\"IDENTIFIER\": {\"NAME\": \"template\"}}}")
      return Compilation(output: nil, diagnostics: [problem])
    }
    var file = TextFile()
    var diagnostics: [Diagnostic] = []
    for paywall in paywalls {
      guard let identifier = paywall.key.text else { continue }
      guard case .map(let entries) = paywall.value else {
        diagnostics.append(
          Diagnostic(
            .decodeFailure, "a paywall's texts must be an object", path: "paywalls.\(identifier)"))
        continue
      }
      var texts: [Text] = []
      for entry in entries {
        guard let name = entry.key.text else { continue }
        guard let template = entry.value.text else {
          diagnostics.append(
            Diagnostic(.decodeFailure, "a template must be a string", path: path(identifier, name)))
          continue
        }
        texts.append(Text(name: name, template: template))
      }
      file.paywalls.append((identifier, texts))
    }
    return Compilation(output: file, diagnostics: diagnostics)
  }
}
