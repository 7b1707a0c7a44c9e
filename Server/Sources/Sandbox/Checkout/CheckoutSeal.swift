internal import Crypto
internal import Expressions
internal import Foundation

/// Seals what a checkout is about into the text that clients carry around: `v1:KEY:SEALED`.
///
/// It is encrypted and authenticated, so that nobody reads it, changes it, or makes one.
struct CheckoutSeal: Sendable {
  private let key: SymmetricKey
  /// Names the key, so that one can follow another.
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

  /// What was sealed; nil for what this key has not sealed.
  func open(_ text: String) -> Value? {
    // A context of ours has some hundred characters.
    guard text.utf8.count <= 4_096, text.hasPrefix(prefix),
      let sealed = Base64URL.decode(text.dropFirst(prefix.count)),
      let box = try? AES.GCM.SealedBox(combined: sealed),
      let plain = try? AES.GCM.open(box, using: key, authenticating: Array(prefix.utf8))
    else { return nil }
    return try? Value.parse(json: plain)
  }
}
