import Foundation

/// Turns the examples of docstrings and guides into tests.
///
/// An example is a block of Swift in the docstring of a public declaration under `Sources`, or a
/// block of Swift, CEL or Liquid in a guide. A comment behind code is its result, and is asserted:
///
/// | written | asserted |
/// |---|---|
/// | `EXPRESSION  // RESULT` | the expression equals the result, which is an expression too |
/// | `let name = EXPRESSION  // RESULT` | the same of `name` |
/// | `print(EXPRESSION)  // text` | it prints this text |
/// | `try EXPRESSION  // throws slug` | it throws the evaluation error of this kind |
///
/// A block of CEL is one expression a paragraph, or several lines with results; a result is CEL, and
/// may be `error slug`. Expressions without a result have to compile.
///
/// A block of Liquid has a template and its text in every line, `TEMPLATE  // TEXT`, for the products
/// and the user of `ExampleRun.texts`; a template without a text has to compile.
///
/// Examples of the SDK need an app around them: those of `docs/testing.md` and `docs/migrating.md` stand in
/// tests too, which `SDKGuideTests` checks; the others are read, not run.
///
/// This file has no imports but Foundation, so that a tool can be made of it where the tests do not
/// compile.
struct ExampleExtractor {
  struct Example {
    /// The file, from the root of the repository on.
    var file: String
    /// The declaration, or the number of the block in a guide.
    var name: String
    var language: String
    var lines: [String]
  }

  /// Public types at the top of a file, and whether their docstrings have an example.
  struct PublicType {
    var file: String
    var name: String
    var hasExample: Bool
  }

  private(set) var examples: [Example] = []
  private(set) var types: [PublicType] = []

  /// - Parameter root: the folder of the repository.
  init(root: URL) {
    for file in ExampleExtractor.files(root, in: "Sources", named: ".swift") {
      readSource(file, root)
    }
    let guides = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map {
      root.appendingPathComponent($0)
    }
    for file in guides + ExampleExtractor.files(root, in: "docs", named: ".md")
    where !["sdk.md", "testing.md", "migrating.md"].contains(file.lastPathComponent) {
      readGuide(file, root)
    }
  }

  private static func files(_ root: URL, in folder: String, named ending: String) -> [URL] {
    let start = root.appendingPathComponent(folder)
    let paths = FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(ending) }.sorted().map {
      start.appendingPathComponent($0)
    }
  }

  private static func lines(_ file: URL) -> [String] {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private static func path(_ file: URL, _ root: URL) -> String {
    String(file.path.dropFirst(root.path.count).drop { $0 == "/" })
  }

  // MARK: Finding examples

  private mutating func readSource(_ file: URL, _ root: URL) {
    let path = ExampleExtractor.path(file, root)
    var comment: [String] = []
    for line in ExampleExtractor.lines(file) {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("///") {
        comment.append(String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)))
      } else if !text.hasPrefix("@") {
        if let name = ExampleExtractor.publicName(text) {
          let blocks = ExampleExtractor.blocks(comment).filter { $0.language == "swift" }
          if !path.hasPrefix("Sources/SDK") {
            examples += blocks.map {
              Example(file: path, name: name, language: $0.language, lines: $0.lines)
            }
          }
          if ExampleExtractor.isType(text), !line.hasPrefix(" ") {
            types.append(PublicType(file: path, name: name, hasExample: !blocks.isEmpty))
          }
        }
        comment = []
      }
    }
  }

  private mutating func readGuide(_ file: URL, _ root: URL) {
    let blocks = ExampleExtractor.blocks(ExampleExtractor.lines(file))
    let wanted = blocks.filter { ["swift", "cel", "liquid"].contains($0.language) }
    for (i, block) in wanted.enumerated() {
      examples.append(
        Example(
          file: ExampleExtractor.path(file, root), name: "block \(i + 1)",
          language: block.language, lines: block.lines))
    }
  }

  private static let kinds = [
    "struct", "enum", "class", "actor", "protocol", "func", "var", "let", "init", "subscript",
    "typealias",
  ]

  private static func words(_ declaration: String) -> [String] {
    declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }

  /// The name of a public declaration, or nil.
  private static func publicName(_ declaration: String) -> String? {
    let words = words(declaration)
    guard words.first == "public", let kind = words.firstIndex(where: { kinds.contains($0) })
    else { return nil }
    if ["init", "subscript"].contains(words[kind]) { return words[kind] }
    return kind + 1 < words.count ? words[kind + 1] : nil
  }

  private static func isType(_ declaration: String) -> Bool {
    let words = words(declaration)
    let kind = words.first { kinds.contains($0) }
    return ["struct", "enum", "class", "actor", "protocol"].contains(kind ?? "")
  }

  /// The fenced blocks of a text.
  private static func blocks(_ lines: [String]) -> [(language: String, lines: [String])] {
    var blocks: [(language: String, lines: [String])] = []
    var open: (language: String, lines: [String])?
    for line in lines {
      if line.hasPrefix("```") {
        if let block = open {
          blocks.append(block)
          open = nil
        } else {
          open = (String(line.dropFirst(3)), [])
        }
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }

  // MARK: Writing tests

  /// The source of the tests.
  var source: String {
    var modules: Set<String> = ["Expressions", "Testing"]
    var tests: [String] = []
    var numbers: [String: Int] = [:]
    for example in examples {
      let first = example.file.split(separator: "/").dropFirst().first.map(String.init)
      if example.file.hasPrefix("Sources/"), let first { modules.insert(first) }
      for line in example.lines where line.hasPrefix("import ") {
        modules.insert(String(line.dropFirst(7)))
      }
      let name = (example.file.replacingOccurrences(of: ".swift", with: "") + " " + example.name)
        .map { $0.isLetter || $0.isNumber ? $0 : "_" }
      numbers[String(name), default: 0] += 1
      let number = numbers[String(name)] ?? 1
      tests.append(
        """
          @Test("\(example.file), \(example.name)")
          func \(String(name))\(number > 1 ? "_\(number)" : "")() throws {
        \(body(example).map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n"))
          }
        """)
    }
    return """
      // Made by Tools/make-examples.sh from docstrings and guides. Do not edit.
      // swift-format-ignore-file
      \(modules.sorted().map { "import \($0)" }.joined(separator: "\n"))

      @Suite("Examples of docstrings and guides")
      struct Examples {
      \(tests.joined(separator: "\n\n"))
      }

      """
  }

  private func body(_ example: Example) -> [String] {
    let lines = example.lines.filter { !$0.hasPrefix("import ") }
    let code =
      switch example.language {
      case "cel": ExampleExtractor.cel(lines)
      case "liquid": ExampleExtractor.liquid(lines)
      default: ExampleExtractor.swift(lines)
      }
    let results = code.joined(separator: "\n").split(separator: "\n").filter {
      let line = $0.drop { $0 == " " }
      return line.hasPrefix("example.") || line.hasPrefix("try example.")
    }.count
    return ["let example = ExampleRun(results: \(results))"] + code + ["example.end()"]
  }

  /// The lines with results turned into assertions.
  private static func swift(_ lines: [String]) -> [String] {
    var code: [String] = []
    var statement: [String] = []
    var depth = 0
    for line in lines {
      let (text, result) = split(line)
      statement.append(text)
      depth += brackets(text)
      guard depth <= 0 else { continue }
      if let result {
        code += assertion(statement, result)
      } else {
        code += statement
      }
      statement = []
      depth = 0
    }
    return code + statement
  }

  private static func assertion(_ statement: [String], _ result: String) -> [String] {
    let indent = String((statement.first ?? "").prefix { $0 == " " })
    var text = statement.joined(separator: "\n").trimmingCharacters(in: .whitespaces)
    if text.hasPrefix("let ") || text.hasPrefix("var ") {
      let name = text.dropFirst(4).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return statement + ["\(indent)example.same(\(name), \(result))"]
    }
    if text.hasPrefix("print("), text.hasSuffix(")") {
      return ["\(indent)example.prints(\(text.dropFirst(6).dropLast()), \(quoted(result)))"]
    }
    if result.hasPrefix("throws ") {
      return ["\(indent)example.fails(\(quoted(String(result.dropFirst(7))))) { \(text) }"]
    }
    let throwing = text.hasPrefix("try ") ? "try " : ""
    text = String(text.dropFirst(throwing.count))
    return ["\(indent)\(throwing)example.same(\(text), \(result))"]
  }

  private static func cel(_ lines: [String]) -> [String] {
    var code: [String] = []
    var expression: [String] = []
    for line in lines + [""] {
      let (text, result) = split(line)
      if !text.isEmpty { expression.append(text) }
      if result == nil, !text.isEmpty { continue }
      guard !expression.isEmpty else { continue }
      let source = quoted(expression.joined(separator: "\n"))
      code.append(
        result.map { "try example.cel(\(source), \(quoted($0)))" } ?? "try example.cel(\(source))")
      expression = []
    }
    return code
  }

  private static func liquid(_ lines: [String]) -> [String] {
    lines.filter { !$0.isEmpty }.map { line in
      guard let comment = line.range(of: "  //", options: .backwards) else {
        return "try example.liquid(\(quoted(line)))"
      }
      let template = String(line[..<comment.lowerBound]).trimmingSuffix { $0 == " " }
      let text = line[comment.upperBound...].drop { $0 == " " }
      return "try example.liquid(\(quoted(template)), \(quoted(String(text))))"
    }
  }

  private static func quoted(_ text: String) -> String { text.debugDescription }

  /// A line without the comment behind its code, and that comment.
  private static func split(_ line: String) -> (text: String, result: String?) {
    var isInString = false
    var isEscaped = false
    var index = line.startIndex
    while index < line.endIndex {
      let character = line[index]
      if character == "\"", !isEscaped { isInString.toggle() }
      isEscaped = character == "\\" && !isEscaped
      if !isInString, line[index...].hasPrefix("//") {
        let text = String(line[..<index]).trimmingSuffix { $0 == " " }
        if text.allSatisfy({ $0 == " " }) { return ("", nil) }
        return (text, line[index...].dropFirst(2).trimmingCharacters(in: .whitespaces))
      }
      index = line.index(after: index)
    }
    return (line, nil)
  }

  /// Opened minus closed parentheses and brackets outside of strings.
  private static func brackets(_ text: String) -> Int {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for character in text {
      if character == "\"", !isEscaped { isInString.toggle() }
      isEscaped = character == "\\" && !isEscaped
      if isInString { continue }
      if "([".contains(character) { depth += 1 }
      if ")]".contains(character) { depth -= 1 }
    }
    return depth
  }
}

extension String {
  fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
