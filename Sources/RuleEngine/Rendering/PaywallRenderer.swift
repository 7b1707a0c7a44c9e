internal import Expressions

/// Renders the texts of one paywall for one user after the other. Each thread has its own.
struct PaywallRenderer: ~Copyable {
  private let paywall: TextPlan.Paywall
  private var frame: Frame
  private var text = RenderedText()
  /// The names as members of JSON objects, from the comma or brace to the colon.
  private let keys: [[UInt8]]
  private let options: RenderOptions
  private let nesting: Int
  private static let opening = Array(",\"texts\":".utf8)
  /// Roots that a user record may fill; products are not the user's to say.
  private static let userRoots = ["user", "device", "params"]

  init(_ paywall: TextPlan.Paywall, _ options: RenderOptions) {
    self.paywall = paywall
    self.options = options
    keys = paywall.names.enumerated().map { number, name in
      var key: [UInt8] = [UInt8(ascii: number == 0 ? "{" : ",")]
      JSONWriter.append(quoted: name, to: &key)
      key.append(UInt8(ascii: ":"))
      return key
    }
    frame = Frame(for: paywall.texts.program)
    nesting = paywall.texts.program.limits.dataNesting
    frame.setOptions(options)
    // Products that are too large for a frame are not kept; their paths are missing then.
    try? frame.keep(paywall.known)
  }

  /// Appends `,"texts":{..}` for the user of a record, which was read before and is JSON.
  ///
  /// - Parameter told: is called with the number of a text and each error in it.
  mutating func append(
    _ record: ByteView, to output: inout [UInt8], _ told: (String, RenderError) -> Void
  ) {
    fill(record)
    output += PaywallRenderer.opening
    if keys.isEmpty { output.append(UInt8(ascii: "{")) }
    for number in keys.indices {
      output += keys[number]
      paywall.texts.render(number, in: &frame, into: &text)
      text.withBytes { JSONWriter.append(quoted: $0, to: &output) }
      for error in text.errors {
        told(TextFile.path(paywall.identifier, paywall.names[number]), error)
      }
    }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func fill(_ record: ByteView) {
    frame.reset()
    guard let base = record.baseAddress else { return }
    if paywall.texts.readsAllData { return fillAll(record) }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    let nesting = nesting
    do throws(JSONFault) {
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        if PaywallRenderer.isUserRoot(key), try frame.fillMember(key, from: &cursor) { return }
        try cursor.skipValue(nesting: nesting)
      }
    } catch {
      // The record was read before; what is too large for a frame is missing.
      frame.reset()
    }
  }

  private static func isUserRoot(_ key: JSONCursor.RawString) -> Bool {
    if key.hasEscapes { return userRoots.contains(key.text) }
    return userRoots.contains { $0.utf8.elementsEqual(key.bytes) }
  }

  /// Templates that compute names may read anything.
  private mutating func fillAll(_ record: ByteView) {
    guard case .map(var context) = paywall.known,
      case .map(let members)? = try? Value.parse(json: Array(record))
    else { return }
    for member in members {
      if case .string(let name) = member.key, PaywallRenderer.userRoots.contains(name) {
        context.append(member)
      }
    }
    do { try frame.fill(.map(context)) } catch { frame.reset() }
  }
}
