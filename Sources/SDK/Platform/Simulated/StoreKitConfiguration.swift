package import Expressions
internal import RuleEngine

/// The products of a StoreKit configuration file (`.storekit`), as Xcode writes it.
///
/// Reads one-time products, the subscriptions of all groups with their introductory offers, and the storefront with its
/// currency and locale.
package struct StoreKitConfiguration: Hashable, Sendable {
  package var products: [StoreProduct]
  /// The reasons why products were dropped, and other notes about the file's products.
  package var diagnostics: [Diagnostic]

  /// Why a file cannot be used.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// Reads the text of a file.
  package init(_ text: some Sequence<UInt8>) throws(Fault) {
    let bytes = Array(text)
    let decoded = ProductList.decode(json: bytes)
    guard let list = decoded.output, list.format == .storeKit else {
      let source = String(decoding: bytes, as: UTF8.self)
      let reasons = decoded.diagnostics.map { DiagnosticText.render($0, source: source) }
      throw Fault(
        description: reasons.isEmpty || decoded.output != nil
          ? "this is not a StoreKit configuration file" : reasons.joined(separator: "\n"))
    }
    products = list.products.map { StoreProduct($0) }
    diagnostics = decoded.diagnostics
  }
}
