package import Expressions
internal import Pricing

/// Renders the texts of one paywall for many users, one at a time. Each thread needs its own renderer.
package struct PaywallRenderer: ~Copyable {
  // SAFETY: The frame and `cells` point into the last record. Both are reset before the next record
  // and by `forget()`. Tests: PrecomputeTextsTests, asan.

  private let paywall: TextPlan.Paywall
  private var frame: Frame
  private var text = RenderedText()
  /// The names as members of JSON objects, from the comma or brace to the colon.
  private let keys: [[UInt8]]
  private let options: RenderOptions
  private let nesting: Int
  private static let opening = Array(",\"texts\":".utf8)
  /// Roots that a user record may fill. Records cannot set products.
  private static let userRoots = ["user", "device", "params"]
  /// Slots that another member of the record fills if the root lacks the attribute.
  private let elsewhere: [(member: [UInt8], slot: Int)]
  private var cells: [Cell?]
  private let readsAllData: Bool
  /// The known values, by whether the user is eligible for the offer of each product.
  private var contexts: [[Bool]: Value] = [:]
  /// For each product, whether its offer is in the frame.
  private var offers: [Bool] = []
  private var known: Value

  package init(_ paywall: TextPlan.Paywall, _ options: RenderOptions) {
    self.paywall = paywall
    self.options = options
    known = paywall.known
    if paywall.offers != nil { offers = paywall.products.offers(for: .all) }
    keys = paywall.names.enumerated().map { number, name in
      var key: [UInt8] = [UInt8(ascii: number == 0 ? "{" : ",")]
      JSONWriter.append(quoted: name, to: &key)
      key.append(UInt8(ascii: ":"))
      return key
    }
    let program = paywall.texts.program
    frame = Frame(for: program)
    nesting = program.limits.dataNesting
    let members = UserMember.attributes(hasUserID: paywall.hasUserID)
    elsewhere = members.compactMap { known in
      program.slot(of: AttributePath([known.root.key, known.name])).map {
        (Array(known.member.key.utf8), $0)
      }
    }
    cells = Array(repeating: nil, count: elsewhere.count)
    // A text that reads a whole root needs all members of the root.
    readsAllData =
      paywall.texts.readsAllData
      || members.contains { program.slot(of: AttributePath([$0.root.key])) != nil }
    frame.setOptions(options)
    // Products that are too large for a frame are not stored, so their paths are missing.
    try? frame.keep(paywall.known)
  }

  /// Appends `,"texts":{..}` for the user of a record that was read before and is valid JSON.
  ///
  /// - Parameter told: called with the number of a text and each error in the text.
  package mutating func append(
    _ record: ByteView, to output: inout [UInt8], _ told: (String, RenderError) -> Void
  ) {
    if let pricing = paywall.offers { choose(record, pricing) }
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

  /// Drops the references to the last record.
  package mutating func forget() {
    frame.reset()
    for i in cells.indices { cells[i] = nil }
  }

  /// Adds the offers that the user of a record may get.
  private mutating func choose(_ record: ByteView, _ pricing: PricingContext) {
    // Reading a record is slow, and most users are not subscribed.
    let eligibility =
      PaywallRenderer.mayBeSubscriber(record) ? OfferEligibility(ofRecord: Array(record)) : .all
    let wanted = paywall.products.offers(for: eligibility)
    guard wanted != offers else { return }
    var other = pricing
    other.eligibility = eligibility
    guard let context = contexts[wanted] ?? (try? paywall.products.context(other).value) else {
      return
    }
    if contexts.count == PaywallRenderer.keptContexts { contexts = [:] }
    contexts[wanted] = context
    offers = wanted
    known = context
    try? frame.keep(context)
  }

  private static let keptContexts = 64

  /// Whether a record could belong to a subscriber: false for all records with neither the status
  /// nor entitlements.
  private static func mayBeSubscriber(_ record: ByteView) -> Bool {
    var i = 0
    while i < record.count {
      let byte = record[i]
      if byte == UInt8(ascii: "\\") { return true }
      if byte == UInt8(ascii: "A") || byte == UInt8(ascii: "n") {
        let word: StaticString = byte == UInt8(ascii: "A") ? "ACTIVE\"" : "ntitlements\""
        let isWord = byte == UInt8(ascii: "n") || i > 0 && record[i - 1] == UInt8(ascii: "\"")
        if isWord, record.count - i >= word.utf8CodeUnitCount,
          record[i..<(i + word.utf8CodeUnitCount)].elementsEqual(
            UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        {
          return true
        }
      }
      i += 1
    }
    return false
  }

  private mutating func fill(_ record: ByteView) {
    frame.reset()
    guard let base = record.baseAddress else { return }
    if readsAllData { return fillAll(record) }
    var cursor = JSONCursor(base, from: 0, to: record.count)
    let nesting = nesting
    for i in cells.indices { cells[i] = nil }
    do throws(JSONFault) {
      try cursor.forEachMember(nesting: nesting) { (cursor, key) throws(JSONFault) in
        if PaywallRenderer.isUserRoot(key),
          try frame.fillMember(key, from: &cursor, nullIsAbsent: true)
        {
          return
        }
        if let place = place(of: key) {
          cells[place] =
            try cursor.takeNull() ? nil : cursor.cell(in: &frame.arena, nesting: nesting)
        } else {
          try cursor.skipValue(nesting: nesting)
        }
      }
    } catch {
      // The record was read before. Values that are too large for a frame are missing.
      return frame.reset()
    }
    for (known, cell) in zip(elsewhere, cells) {
      if let cell, !frame.slots[known.slot].isValue { frame.slots[known.slot] = cell }
    }
  }

  /// The slot of the attribute that a member of the record can fill.
  private func place(of key: JSONCursor.RawString) -> Int? {
    if elsewhere.isEmpty { return nil }
    if key.hasEscapes {
      let name = Array(key.text.utf8)
      return elsewhere.firstIndex { $0.member == name }
    }
    return elsewhere.firstIndex { $0.member.elementsEqual(key.bytes) }
  }

  private static func isUserRoot(_ key: JSONCursor.RawString) -> Bool {
    if key.hasEscapes { return userRoots.contains(key.text) }
    return userRoots.contains { $0.utf8.elementsEqual(key.bytes) }
  }

  /// Templates that compute names may read any attribute.
  private mutating func fillAll(_ record: ByteView) {
    guard case .map(var context) = known,
      case .map(let members)? = try? Value.parse(json: Array(record))
    else { return }
    for root in TextContext.roots(ofRecord: members, hasUserID: paywall.hasUserID)
    where PaywallRenderer.userRoots.contains(root.name) {
      context.append(Value.Entry(key: .string(root.name), value: root.value))
    }
    do { try frame.fill(.map(context)) } catch { frame.reset() }
  }
}
