/// Counted periods in a language: `3 months`, `3 mths`, with the correct plural form.
package struct PeriodWords: Hashable, Sendable {
  /// The length of the words.
  package enum Width: Int, Sendable {
    /// Short words, as in `3 mths`.
    case short
    /// Long words, as in `3 months`.
    case long
  }

  /// A string with or without a place for the number: `شهران` is two months.
  fileprivate struct Form: Hashable {
    var category: UInt8
    var before: [UInt8]
    var behind: [UInt8]
    var hasNumber: Bool
  }

  /// The forms of a unit. The first form is that of the category "other".
  struct Forms: Hashable, Sendable {
    fileprivate let forms: [Form]

    init(_ field: Substring) {
      forms = field.split(separator: ";").map { form in
        let parts = form.dropFirst().split(separator: "#", omittingEmptySubsequences: false)
        return Form(
          category: form.utf8.first ?? 0, before: Array(parts[0].utf8),
          behind: Array((parts.count > 1 ? parts[1] : "").utf8), hasNumber: parts.count > 1)
      }
    }
  }

  /// The forms by unit, then by width.
  private let forms: [Forms]
  /// The plural category of the numbers 0 to 199. For larger numbers, the last two digits decide.
  private let categories: [UInt8]
  private let zero: [UInt8]

  init(_ fields: [Substring], categories: String, zero: [UInt8]) {
    forms = fields.map { Forms($0) }
    self.categories = Array(categories.utf8)
    self.zero = zero
  }

  /// The formatted period.
  package func text(_ period: Period, _ width: Width) -> String {
    var buffer = TextBuffer(capacity: 64)
    write(period, width, to: &buffer)
    return buffer.text
  }

  /// Appends the period.
  package func write(_ period: Period, _ width: Width, to buffer: inout TextBuffer) {
    write(period.count, forms[period.unit.rawValue * 2 + width.rawValue], to: &buffer)
  }

  /// Appends a number with its unit in words.
  func write(_ count: Int, _ forms: Forms, to buffer: inout TextBuffer) {
    let forms = forms.forms
    let category = categories[count < 200 ? count : 100 + count % 100]
    let place = forms.firstIndex { $0.category == category } ?? 0
    let form = forms[place]
    buffer.append(form.before)
    if form.hasNumber { buffer.append(count, digits: 1, zero: zero) }
    buffer.append(form.behind)
  }
}
