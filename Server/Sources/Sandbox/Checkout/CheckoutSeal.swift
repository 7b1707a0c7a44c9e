internal import Crypto
internal import Expressions
internal import Foundation

/// Seals the data of a checkout into the string that clients pass on: `v1:KEY:SEALED`.
///
/// The string is encrypted and authenticated, so that clients can neither read, change nor create such strings.
struct CheckoutSeal: Sendable {
  private let key: SymmetricKey
  /// Identifies the key, so that keys can be replaced.
  let keyID: String

  /// - Parameter secret: 32 bytes.
  init(secret: Data) {
    key = SymmetricKey(data: secret)
    keyID = SHA256.hash(data: secret).prefix(4).map { $0.hexPair }.joined()
  }

  private var prefix: String { "v1:\(keyID):" }

  func seal(_ context: Value) throws -> String {
    let box = try AES.GCM.seal(
      Array(context.json.utf8), using: key, authenticating: Array(prefix.utf8))
    guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
    return prefix + Base64URL.encode(sealed)
  }

  /// The sealed data, or nil if this key has not sealed it.
  func open(_ text: String) -> Value? {
    // The sandbox's contexts have a few hundred characters.
    guard text.utf8.count <= 4_096, text.hasPrefix(prefix),
      let sealed = Base64URL.decode(text.dropFirst(prefix.count)),
      let box = try? AES.GCM.SealedBox(combined: sealed),
      let plain = try? AES.GCM.open(box, using: key, authenticating: Array(prefix.utf8))
    else { return nil }
    return try? Value.parse(json: plain)
  }
}
