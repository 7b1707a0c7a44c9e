/// Names and counted words of locales for the filters `date` and `countdown_from`. The pricing engine, which has the
/// tables, supplies them. Without these words, all output is English.
package struct LocaleWords: Sendable {
  /// Names in their standalone form.
  package enum Name: Sendable {
    /// The number of the month, 1 to 12.
    case month
    /// The number of the weekday, where 0 is Sunday.
    case weekday
  }

  let name: @Sendable (_ name: Name, _ number: Int, _ isShort: Bool, _ locale: String) -> String?
  let counted:
    @Sendable (_ unit: String, _ count: Int64, _ isShort: Bool, _ locale: String) -> String?

  /// Both closures return nil if the English words apply.
  ///
  /// - Parameters:
  ///   - name: the name of a month or a day of the week.
  ///   - counted: a number with its unit (`second` to `year`): `3 Tage`.
  package init(
    name: @escaping @Sendable (Name, Int, Bool, String) -> String?,
    counted: @escaping @Sendable (String, Int64, Bool, String) -> String?
  ) {
    self.name = name
    self.counted = counted
  }
}
