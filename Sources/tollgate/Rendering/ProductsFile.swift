internal import ArgumentParser
internal import Expressions
internal import RuleEngine

/// A file with products, decoded.
struct ProductsFile {
  let list: ProductList
  let diagnostics: [Diagnostic]
  private let file: DescribedFile

  init(_ path: String) throws {
    file = try DescribedFile(path)
    let decoded = ProductList.decode(json: file.bytes)
    guard let list = decoded.output else {
      if let kind = FileKind.ofSound(file.bytes), ![.products, .storeKit, .config].contains(kind) {
        throw kind.error(file.name, expected: .products)
      }
      throw file.unusable(decoded.diagnostics)
    }
    if list.products.isEmpty, decoded.diagnostics.isEmpty {
      throw CommandError("\(file.name) has no products")
    }
    self.list = list
    diagnostics = decoded.diagnostics
  }

  /// Reads a file, and prints its diagnostics on standard error.
  ///
  /// - Throws: if none of its products is usable.
  static func reporting(_ path: String) throws -> ProductsFile {
    let file = try ProductsFile(path)
    for text in file.render(file.diagnostics.filter { $0.severity != .note }) {
      FileText.printError(text)
    }
    if file.list.products.isEmpty { throw ExitCode(Ending.findings) }
    return file
  }

  /// Whether a product of the file cannot be used.
  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Diagnostics with the file and the place.
  func render(_ diagnostics: [Diagnostic]) -> [String] { file.render(diagnostics) }

  /// Diagnostics as JSON objects, with the file and the place.
  func json(_ diagnostics: [Diagnostic]) -> [Value] { file.json(diagnostics) }
}
