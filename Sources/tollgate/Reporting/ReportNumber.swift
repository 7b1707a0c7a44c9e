/// The form of numbers in reports.
enum ReportNumber {
  /// A share as a percentage with one digit: `12.5 %`. A nonzero value is never shown as zero.
  static func percent(_ share: Double) -> String {
    if share == 0 { return "0 %" }
    if share > 0, share < 0.0005 { return "< 0.1 %" }
    if share < 1, share > 0.9995 { return "> 99.9 %" }
    return decimal(share * 100, 1) + " %"
  }

  static func percent(_ count: Int, of all: Int) -> String { percent(share(count, of: all)) }

  static func share(_ count: Int, of all: Int) -> Double {
    all > 0 ? Double(count) / Double(all) : 0
  }

  /// A share of a bar's length, in the form of SVG.
  static func length(_ share: Double) -> String {
    let text = decimal(share * 100, 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + "%"
  }

  /// A probability: `p = 0.031`, or `p < 0.0001`.
  static func probability(_ p: Double) -> String {
    p < 0.0001 ? "p < 0.0001" : "p = " + decimal(p, p < 0.01 ? 4 : 3)
  }

  /// A number with this many digits after the decimal point.
  static func decimal(_ number: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(number) * scale).rounded()
    guard scaled < 1e15 else { return "\(number)" }
    var text = String(Int(scaled))
    while text.count <= digits { text = "0" + text }
    let point = text.index(text.endIndex, offsetBy: -digits)
    let sign = number < 0 && scaled > 0 ? "−" : ""
    return sign + text[..<point] + (digits > 0 ? "." + text[point...] : "")
  }
}
