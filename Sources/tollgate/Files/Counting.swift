/// A number with separated thousands, such as `1,204`.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number.magnitude))
  var at = digits.count - 3
  while at > 0 {
    digits.insert(",", at: at)
    at -= 3
  }
  return (number < 0 ? "-" : "") + String(digits)
}

/// A number with its noun: `1 line`, `1,204 lines`.
func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
  "\(grouped(number)) " + (number == 1 ? noun : plural ?? noun + "s")
}

/// The items of a list with a word before the last: `a, b and c`.
func listed(_ items: [String], _ word: String) -> String {
  guard let last = items.last, items.count > 1 else { return items.first ?? "" }
  return items.dropLast().joined(separator: ", ") + " \(word) " + last
}
