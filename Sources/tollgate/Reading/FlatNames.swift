internal import Expressions
internal import RuleEngine

/// Column names without dots: with `_` the column `user_plan` is the attribute `user.plan`.
struct FlatNames: Sendable {
  private let separator: String
  /// The attributes that rules read, by their flat name.
  private let paths: [String: [String]]

  init(_ separator: String, _ requirements: [AttributePath]) {
    self.separator = separator
    paths = Dictionary(
      grouping: Set(requirements).map(\.description).sorted(),
      by: { $0.split(separator: ".").joined(separator: separator) })
  }

  /// The path of a column: an attribute that rules read, or another attribute of a user, a device or a placement.
  ///
  /// - Throws: if the column could be several attributes that rules read.
  func path(of column: String, in file: String) throws -> String {
    guard let end = column.firstRange(of: separator) else { return column }
    if let found = paths[column] {
      guard found.count == 1 else {
        throw CommandError(
          "\(file): the column '\(column)' could be \(listed(found.map { "'\($0)'" }, "or")); "
            + "rename it to the intended name")
      }
      return found[0]
    }
    let (root, rest) = (String(column[..<end.lowerBound]), column[end.upperBound...])
    let isRoot = UserMember.allCases.contains { $0.kind == .attributes && $0.key == root }
    return isRoot && !rest.isEmpty ? "\(root).\(rest)" : column
  }
}
