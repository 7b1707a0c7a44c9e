/// The tags by name.
enum TagName: UInt8, CaseIterable {
  case assign, capture, `case`, when, comment, cycle, decrement, doc, echo, `else`, elsif
  case `for`, `if`, ifchanged, include, increment, liquid, raw, render, tablerow, unless
  case `break`, `continue`, inlineComment
  case endcapture, endcase, endcomment, enddoc, endfor, endif, endifchanged, endraw, endtablerow
  case endunless

  private var name: String { TagName.allNames[Int(rawValue)] }

  /// The names, in the order of the cases.
  private static let allNames = [
    "assign", "capture", "case", "when", "comment", "cycle", "decrement", "doc", "echo", "else",
    "elsif", "for", "if", "ifchanged", "include", "increment", "liquid", "raw", "render",
    "tablerow", "unless", "break", "continue", "#", "endcapture", "endcase", "endcomment",
    "enddoc", "endfor", "endif", "endifchanged", "endraw", "endtablerow", "endunless",
  ]

  private struct Key: Hashable {
    var bytes: UInt64
    var count: Int

    init(_ text: some Collection<UInt8>) {
      bytes = text.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      count = text.count
    }
  }

  private static let keys: [Key] = allCases.map { Key(Array($0.name.utf8)) }

  /// The tag of a name, or nil.
  init?(_ text: ByteView) {
    // SAFETY: The view is only read through its iterator. Tests: RenderingTests.
    let key = Key(text)
    guard let place = TagName.keys.firstIndex(of: key), let tag = TagName(rawValue: UInt8(place)),
      text.count <= 8 || text.elementsEqual(tag.name.utf8)
    else { return nil }
    self = tag
  }

  var text: String { name }

  /// Whether the tag only ends a block or begins another branch of it.
  var isInner: Bool {
    switch self {
    case .when, .else, .elsif: true
    default: rawValue >= TagName.endcapture.rawValue
    }
  }

  /// The names of tags that begin a statement, for suggestions.
  static let names = allCases.filter { !$0.isInner && $0 != .inlineComment }.map { $0.name }
}
