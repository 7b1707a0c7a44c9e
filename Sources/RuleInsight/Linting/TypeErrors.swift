package import Expressions
internal import RuleEngine

/// Operands whose types are incompatible, whatever values users have.
///
/// `device.daysSinceInstall == "three"`
enum TypeErrors: Lint {
  static let page = CodePage(
    .typeError, .error,
    what: "A part of a condition is never true, or always an error, because of its types.",
    why: """
      SDKs send each attribute with one type. A number never equals a string, '<' and '>' between a number and a \
      string are errors, and a condition that is not a bool never matches.
      """,
    example: .condition(#"device.daysSinceInstall == "three""#),
    advice: """
      Compare with a value of the attribute's type. If your records have another type, declare it in a \
      schema (--schema).
      """,
    better: .condition("device.daysSinceInstall == 3"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    found(.typeError, in: subject)
      + FilterTypes.findings(in: subject).filter { $0.code == .typeError }
  }

  /// The findings of one code from reading types.
  static func found(_ code: Diagnostic.Code, in subject: LintSubject) -> [Diagnostic] {
    zip(subject.conditions, subject.typeProblems).flatMap { condition, problems in
      problems.filter { $0.code == code }.flatMap { problem in
        condition.paths.map { path in
          Diagnostic(
            code, problem.message, severity: CodePage.all[code]?.severity ?? .warning,
            range: problem.range, path: path, suggestion: problem.suggestion, fix: problem.fix,
            subject: problem.subject)
        }
      }
    }
  }
}

/// A part that is used as a condition, but is not a bool.
///
/// `device.platform && user.age > 18`: superscript treats every string but the empty one as true.
enum NeverBools: Lint {
  static let page = CodePage(
    .neverBool, .warning,
    what: "A part of a condition is used as a bool, but is never a bool.",
    why: """
      Superscript treats 0, null and empty values as false and everything else as true, so the part is \
      constant for most users.
      """,
    example: .condition("device.platform && user.age > 18"),
    advice: "Compare the part with a value.",
    better: .condition(#"device.platform == "iOS" && user.age > 18"#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    TypeErrors.found(.neverBool, in: subject)
  }
}

/// A value that an attribute never has.
///
/// `device.platform == "ANDROID"`: SDKs send "Android".
enum EnumValues: Lint {
  static let page = CodePage(
    .valueNotInEnum, .warning,
    what: "A condition compares an attribute with a value that the attribute never has.",
    why: "The comparison has the same result for every user: == is false, and != is true.",
    example: .condition(#"device.platform == "ANDROID""#),
    advice: """
      Write one of the values that SDKs send. Upper and lower case matter. If your records have other \
      values, list them in a schema (--schema).
      """,
    better: .condition(#"device.platform == "Android""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    TypeErrors.found(.valueNotInEnum, in: subject) + LocaleCodes.findings(in: subject)
      + FilterTypes.findings(in: subject).filter { $0.code == .valueNotInEnum }
  }
}

extension Diagnostic.Code {
  /// A value that an attribute with few values never has.
  package static let valueNotInEnum = Self(rawValue: "value-not-in-enum")
  /// A part that is used as a condition, but is not a bool.
  package static let neverBool = Self(rawValue: "never-bool")
}
