/// A number with its thousands apart.
func grouped(_ number: Int) -> String {
  var digits = Array(String(number.magnitude))
  var at = digits.count - 3
  while at > 0 {
    digits.insert(",", at: at)
    at -= 3
  }
  return (number < 0 ? "-" : "") + String(digits)
}

/// So many of something: `1 line`, `1,204 lines`.
func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
  "\(grouped(number)) " + (number == 1 ? noun : plural ?? noun + "s")
}
