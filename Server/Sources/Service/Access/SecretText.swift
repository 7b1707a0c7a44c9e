internal import Crypto

/// Strings that no user can guess.
package enum SecretText {
  /// 32 random bytes in hexadecimal.
  package static func random() -> String { hex(SymmetricKey(size: .bits256)) }

  private static func hex(_ key: SymmetricKey) -> String {
    key.withUnsafeBytes { bytes in
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}
