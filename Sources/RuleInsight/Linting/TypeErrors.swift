package import Expressions
internal import RuleEngine

/// Operands that cannot go together, whatever users have.
///
/// `device.daysSinceInstall == "three"`
enum TypeErrors: Lint {
  static let page = CodePage(
    .typeError, .error,
    what: "A part of a condition that is never true, or always an error, because of its types.",
    why: """
      SDKs send each attribute as one kind of value. A number never equals a text, ordering a number \
      and a text is an error, and a condition that is no bool takes nobody.
      """,
    example: .condition(#"device.daysSinceInstall == "three""#),
    advice: """
      Compare with a value of the attribute's kind. Where your own records have another kind, say so \
      in a schema (--schema).
      """,
    better: .condition("device.daysSinceInstall == 3"))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    found(.typeError, in: subject)
      + FilterTypes.findings(in: subject).filter { $0.code == .typeError }
  }

  /// What reading types found of one code.
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

/// A part that is asked whether it is true, and is no bool.
///
/// `device.platform && user.age > 18`: superscript takes every text but the empty one for true.
enum NeverBools: Lint {
  static let page = CodePage(
    .neverBool, .warning,
    what: "A part of a condition that is asked whether it is true, and is never a bool.",
    why: """
      Superscript takes 0, null and what is empty for false and everything else for true, so that the \
      part says nothing for most users.
      """,
    example: .condition("device.platform && user.age > 18"),
    advice: "Compare it with something.",
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
    what: "A condition compares an attribute of few values with another value.",
    why: "It is never equal, so the condition holds for nobody, or with != for everybody.",
    example: .condition(#"device.platform == "ANDROID""#),
    advice: """
      Write one of the values that SDKs send; capitals count. Where your own records have others, say \
      so in a schema (--schema).
      """,
    better: .condition(#"device.platform == "Android""#))

  static func findings(in subject: LintSubject) -> [Diagnostic] {
    TypeErrors.found(.valueNotInEnum, in: subject) + codes(in: subject)
      + FilterTypes.findings(in: subject).filter { $0.code == .valueNotInEnum }
  }

  // MARK: Codes of regions and languages

  private struct Form {
    var isUpper: Bool
    var lengths: ClosedRange<Int>
    var what: String

    static let region = Form(isUpper: true, lengths: 2...2, what: "two capitals, as \"US\"")
    static let currency = Form(isUpper: true, lengths: 3...3, what: "three capitals, as \"USD\"")
    static let language = Form(isUpper: false, lengths: 2...3, what: "small letters, as \"en\"")

    /// The text as it must be written; the text itself when nothing is wrong, and nil when it is no
    /// such code at all.
    func corrected(_ text: String) -> String? {
      guard lengths.contains(text.count) else { return nil }
      return isUpper ? text.uppercased() : text.lowercased()
    }
  }

  /// Attributes that hold codes of letters, with how these are written.
  private static let forms: [String: Form] = [
    "regionCode": .region, "preferredRegionCode": .region, "deviceCurrencyCode": .currency,
    "deviceLanguageCode": .language, "preferredLanguageCode": .language,
  ]

  private static func codes(in subject: LintSubject) -> [Diagnostic] {
    subject.conditions.flatMap { condition -> [Diagnostic] in
      let expression = condition.expression
      return expression.relations.flatMap { relation -> [Diagnostic] in
        guard !relation.isOrder,
          let (attribute, literals) = relation.attributeWithLiterals(in: expression),
          let path = expression.path(attribute), path.count == 2, path[0] == "device",
          let form = forms[path[1]], subject.schema[path[0], path[1]]?.kind == .anyText
        else { return [] }
        return literals.flatMap { literal -> [Diagnostic] in
          // A region may also be a number, and a language have parts.
          guard case .string(let text)? = expression.literal(literal), !text.isEmpty,
            text.allSatisfy({ $0.isASCII && $0.isLetter })
          else { return [] }
          let right = form.corrected(text)
          guard right != text else { return [] }
          return findings(
            "'\(path.joined(separator: "."))' is never \"\(text)\": it is \(form.what)",
            in: condition, range: expression[literal].range,
            suggestion: right.map { "did you mean \"\($0)\"?" },
            fix: right.map {
              let edit = Diagnostic.Fix.Edit(expression[literal].range, Value.string($0).json)
              return Diagnostic.Fix([edit], isSafe: true)
            }, subject: path.joined(separator: "."))
        }
      }
    }
  }
}

extension Diagnostic.Code {
  /// A value that an attribute of few values never has.
  package static let valueNotInEnum = Self(rawValue: "value-not-in-enum")
  /// A part that is asked whether it is true, and is no bool.
  package static let neverBool = Self(rawValue: "never-bool")
}
