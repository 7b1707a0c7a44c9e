public import Expressions
internal import RuleEngine

/// The products of a StoreKit configuration file (`.storekit`), as Xcode writes it.
///
/// Read are one-time products, the subscriptions of all groups with their introductory offers, and
/// the storefront with its currency and locale.
public struct StoreKitConfiguration: Hashable, Sendable {
  public var products: [StoreProduct]
  /// Why products of the file are left out, and what else is worth knowing about them.
  public var diagnostics: [Diagnostic]

  /// Why a file cannot be used.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Reads the text of a file.
  public init(_ text: some Sequence<UInt8>) throws(Fault) {
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
