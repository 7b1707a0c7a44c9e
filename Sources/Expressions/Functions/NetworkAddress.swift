internal import CivilTime

/// An IPv4 or IPv6 address.
struct NetworkAddress: Equatable {
  // SAFETY: The caller of `write(to:)` has room for `width / 8` bytes. Tests: NetworkTests.

  /// The address as a number with its first byte highest. An IPv4 address has 32 bits.
  let bits: UInt128
  /// Whether this is an IPv4 address.
  let isIPv4: Bool

  /// The number of bits: 32 or 128.
  var width: Int { isIPv4 ? 32 : 128 }

  /// The address with these bits.
  init(_ bits: UInt128, isIPv4: Bool) {
    self.bits = bits
    self.isIPv4 = isIPv4
  }

  /// The address in a cell: 4 or 16 bytes.
  init(bytes: ByteView) {
    self.init(bytes.reduce(0) { $0 << 8 | UInt128($1) }, isIPv4: bytes.count == 4)
  }

  /// Writes the bytes for a cell.
  func write(to target: UnsafeMutablePointer<UInt8>) {
    for i in 0..<(width / 8) {
      target[i] = UInt8(truncatingIfNeeded: bits >> UInt128(width - 8 - 8 * i))
    }
  }

  // MARK: Kinds of addresses

  /// Whether the address is 0.0.0.0 or ::.
  var isUnspecified: Bool { bits == 0 }

  /// Whether the address is in 127.0.0.0/8, or is ::1.
  var isLoopback: Bool { isIPv4 ? bits >> 24 == 127 : bits == 1 }

  private var isMulticast: Bool { isIPv4 ? bits >> 28 == 0xE : bits >> 120 == 0xFF }

  /// Whether the address is in 224.0.0.0/24, or in ff02::/16 with any flags.
  var isLinkLocalMulticast: Bool {
    isIPv4 ? bits >> 8 == 0xE0_0000 : bits >> 112 & 0xFF0F == 0xFF02
  }

  /// Whether the address is in 169.254.0.0/16 or fe80::/10.
  var isLinkLocalUnicast: Bool { isIPv4 ? bits >> 16 == 0xA9FE : bits >> 118 == 0x3FA }

  /// Whether the address is of no other kind, and not the broadcast address. Private addresses are global in this
  /// sense.
  var isGlobalUnicast: Bool {
    !isUnspecified && !isLoopback && !isMulticast && !isLinkLocalUnicast
      && !(isIPv4 && bits == 0xFFFF_FFFF)
  }
}

extension NetworkAddress {
  /// Parses dotted decimal numbers without leading zeros, or IPv6 (RFC 4291, section 2.2).
  ///
  /// Zones are invalid, and IPv4 addresses in IPv6 notation are only valid without dots.
  init?(_ text: ByteView) {
    guard text.count <= 45 else { return nil }
    if !text.contains(UInt8(ascii: ":")) {
      guard let bits = NetworkAddress.readIPv4(text, from: 0) else { return nil }
      self.init(UInt128(bits), isIPv4: true)
      return
    }
    guard let bits = NetworkAddress.readIPv6(text) else { return nil }
    let isMapped = NetworkAddress.isMapped(bits)
    if isMapped, text.contains(UInt8(ascii: ".")) { return nil }
    self.init(isMapped ? bits & 0xFFFF_FFFF : bits, isIPv4: isMapped)
  }

  /// Whether the address is in ::ffff:0:0/96, the range that means IPv4 addresses.
  private static func isMapped(_ bits: UInt128) -> Bool { bits >> 32 == 0xFFFF }

  /// Reads the four numbers of an IPv4 address, up to the end of the string.
  private static func readIPv4(_ text: ByteView, from start: Int) -> UInt32? {
    // SAFETY: Every index is compared with the count. Tests: NetworkTests.
    var bits: UInt32 = 0
    var at = start
    for field in 0..<4 {
      if field > 0 {
        guard at < text.count, text[at] == UInt8(ascii: ".") else { return nil }
        at += 1
      }
      let first = at
      var value: UInt32 = 0
      while at < text.count, at - first < 3, text[at] &- 0x30 < 10 {
        value = value * 10 + UInt32(text[at] - 0x30)
        at += 1
      }
      guard at > first, value <= 255, at - first == 1 || text[first] != 0x30 else { return nil }
      bits = bits << 8 | value
    }
    return at == text.count ? bits : nil
  }

  private static func readIPv6(_ text: ByteView) -> UInt128? {
    // SAFETY: Every index is compared with the count. Tests: NetworkTests.
    var groups: UInt128 = 0
    var count = 0
    /// The number of groups before the `::`.
    var gap: Int?
    var at = 0
    if text.count >= 2, text[0] == UInt8(ascii: ":"), text[1] == UInt8(ascii: ":") {
      gap = 0
      at = 2
    }
    while at < text.count {
      guard count < 8 else { return nil }
      let first = at
      var group: UInt128 = 0
      while at < text.count, at - first < 4, let digit = Digits.hex(text[at]) {
        group = group << 4 | UInt128(digit)
        at += 1
      }
      guard at > first else { return nil }
      if at < text.count, text[at] == UInt8(ascii: ".") {
        guard count <= 6, let tail = readIPv4(text, from: first) else { return nil }
        groups = groups << 32 | UInt128(tail)
        count += 2
        break
      }
      groups = groups << 16 | group
      count += 1
      guard at < text.count else { break }
      guard text[at] == UInt8(ascii: ":"), at + 1 < text.count else { return nil }
      at += 1
      guard text[at] == UInt8(ascii: ":") else { continue }
      guard gap == nil else { return nil }
      gap = count
      at += 1
    }
    guard let gap else { return count == 8 ? groups : nil }
    guard count < 8 else { return nil }
    let after = UInt128(16 * (count - gap))
    let tail = groups & ((1 << after) - 1)
    return gap == 0 ? tail : (groups >> after) << UInt128(128 - 16 * gap) | tail
  }
}

extension NetworkAddress {
  /// The length of the longest string form: eight groups of four digits and seven colons.
  static let longestText = 39

  /// Writes the string form of RFC 5952: lower case, no leading zeros, the first of the longest runs of zeros
  /// as `::`. Returns the number of bytes, at most ``longestText``.
  func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    // SAFETY: `DigitWriter` checks that the buffer holds the longest form. Tests: NetworkTests.
    var writer = DigitWriter(buffer, capacity: NetworkAddress.longestText)
    if isIPv4 {
      for shift in stride(from: 24, through: 0, by: -8) {
        if shift < 24 { writer.character(".") }
        writer.number(UInt64(bits >> UInt128(shift) & 0xFF))
      }
      return writer.count
    }
    let zeros = longestZeros
    var i = 0
    while i < 8 {
      if i == zeros.lowerBound, !zeros.isEmpty {
        writer.character(":")
        writer.character(":")
        i = zeros.upperBound
        continue
      }
      if i > 0, i != zeros.upperBound || zeros.isEmpty { writer.character(":") }
      writer.hex(group(i))
      i += 1
    }
    return writer.count
  }

  private func group(_ i: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * i))
  }

  /// The first of the longest runs of zero groups, if the run has at least two groups.
  private var longestZeros: Range<Int> {
    var longest = 0..<0
    var start = 0
    for i in 0...8 where i == 8 || group(i) != 0 {
      if i - start > max(longest.count, 1) { longest = start..<i }
      start = i + 1
    }
    return longest
  }

  /// Appends the string form.
  func append(to text: inout ByteBuilder, _ arena: inout Arena) {
    text.append(upTo: NetworkAddress.longestText, &arena) { write(into: $0) }
  }

  /// Whether this is the string form of the address.
  func hasText(_ text: ByteView) -> Bool {
    // SAFETY: `DigitWriter` checks that the buffer holds the longest form, and the view stays in
    // the closure. Tests: NetworkTests.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NetworkAddress.longestText) { buffer in
      let count = write(into: buffer)
      return Comparing.equalBytes(ByteView(rebasing: buffer[..<count]), text)
    }
  }
}

extension DigitWriter {
  /// Writes a number in hexadecimal without leading zeros.
  fileprivate mutating func hex(_ number: UInt16) {
    for shift in stride(from: 12, through: 0, by: -4) where shift == 0 || number >> shift > 0 {
      let value = UInt8(truncatingIfNeeded: number >> shift & 0xF)
      if value < 10 {
        digit(value)
      } else {
        character(Unicode.Scalar(UInt8(ascii: "a") + value - 10))
      }
    }
  }
}

/// An address and the number of its first bits that are the same in the whole range.
struct NetworkRange: Equatable {
  // SAFETY: The part before the slash is a slice of the caller's view. Tests: NetworkTests.

  /// An address in the range, not always the lowest address.
  let address: NetworkAddress
  /// The length of the prefix in bits.
  let prefix: Int

  /// The range of an address with a prefix that is no longer than the address.
  init(address: NetworkAddress, prefix: Int) {
    self.address = address
    self.prefix = prefix
  }

  /// Parses an address, a slash and a number without leading zeros.
  init?(_ text: ByteView) {
    guard let slash = text.firstIndex(of: UInt8(ascii: "/")), 1...3 ~= text.count - slash - 1,
      let address = NetworkAddress(ByteView(rebasing: text[..<slash])),
      // The length of the prefix would count bits that IPv4 does not have.
      !address.isIPv4 || !text[..<slash].contains(UInt8(ascii: ":"))
    else { return nil }
    var prefix = 0
    for byte in text[(slash + 1)...] {
      guard byte &- 0x30 < 10 else { return nil }
      prefix = prefix * 10 + Int(byte - 0x30)
    }
    guard prefix <= address.width, text.count - slash == 2 || text[slash + 1] != 0x30 else {
      return nil
    }
    self.init(address: address, prefix: prefix)
  }

  /// The number of bits of the address after the prefix.
  private var rest: UInt128 { UInt128(address.width - prefix) }

  /// The range with its lowest address.
  var masked: NetworkRange {
    // A shift by all bits results in zero.
    let bits = (address.bits >> rest) << rest
    return NetworkRange(
      address: NetworkAddress(bits, isIPv4: address.isIPv4), prefix: prefix)
  }

  /// Whether an address is in the range. An address of the other family is never in the range.
  func contains(_ other: NetworkAddress) -> Bool {
    other.isIPv4 == address.isIPv4 && other.bits >> rest == address.bits >> rest
  }

  /// Whether every address of the other range is in this range.
  func contains(_ other: NetworkRange) -> Bool {
    prefix <= other.prefix && contains(other.address)
  }

  /// Appends the string form: the address, a slash and the length of the prefix.
  func append(to text: inout ByteBuilder, _ arena: inout Arena) {
    address.append(to: &text, &arena)
    text.append("/", &arena)
    text.append(String(prefix), &arena)
  }
}
