internal import Expressions
internal import RuleEngine

/// AgentWallie filters that are never true because of the type of their attribute.
enum FilterTypes {
  static func findings(in subject: LintSubject) -> [Diagnostic] {
    subject.filters.flatMap { placed -> [Diagnostic] in
      let filter = placed.filter
      guard let kind = subject.schema.attribute(of: filter)?.kind, let test = filter.operator,
        let value = filter.value
      else { return [] }
      switch test {
      case .exists, .notExists: return []
      case .is, .isNot, .in, .notIn:
        let values = value.elements ?? [value]
        if let wrong = values.first(where: { !kind.isLike(TypeOf.value($0)) }) {
          return [mismatch(filter, kind, wrong, placed.path)]
        }
        let isSample = subject.schema.attribute(of: filter)?.isSample ?? false
        return isSample ? [] : choose(filter, kind, values, placed.path)
      case .contains:
        return kind.isLike(.anyText) ? [] : [mismatch(filter, kind, value, placed.path)]
      case .greaterThan, .greaterOrEqual, .lessThan, .lessOrEqual:
        return kind.isLike(.number) ? [] : [mismatch(filter, kind, value, placed.path)]
      }
    }
  }

  private static func mismatch(
    _ filter: Filter, _ kind: ContextSchema.Kind, _ value: Value, _ path: String
  ) -> Diagnostic {
    let isNegated = filter.operator == .isNot
    return Diagnostic(
      .typeError,
      "'\(filter.field)' is \(kind.name): the filter is \(isNegated ? "always" : "never") true",
      severity: .error, path: "\(path).value",
      suggestion: "compare it with \(kind.name)")
  }

  private static func choose(
    _ filter: Filter, _ kind: ContextSchema.Kind, _ values: [Value], _ path: String
  ) -> [Diagnostic] {
    guard case .text(let words) = kind, !words.isEmpty else { return [] }
    return values.enumerated().compactMap { index, value in
      guard case .string(let text) = value, !words.contains(text) else { return nil }
      let meant = words.first { NearNames.isSameWord($0, text) }
      let close = meant ?? Suggestion.closest(to: text, among: words)
      let isList = filter.value?.elements != nil
      return Diagnostic(
        .valueNotInEnum, "'\(filter.field)' is never \"\(text)\"", severity: .warning,
        range: SourceRange(from: 0, to: text.utf8.count),
        path: "\(path).value" + (isList ? "[\(index)]" : ""),
        suggestion: close.map { "did you mean \"\($0)\"?" }
          ?? "it is one of \(words.prefix(8).joined(separator: ", "))",
        fix: meant.map {
          let edit = Diagnostic.Fix.Edit(SourceRange(from: 0, to: text.utf8.count), $0)
          return Diagnostic.Fix([edit], isSafe: true)
        })
    }
  }
}

/// The type of a value.
enum TypeOf {
  static func value(_ value: Value) -> ContextSchema.Kind {
    switch value {
    case .bool: .bool
    case .int, .uint, .double: .number
    case .string(let text): .text(oneOf: [text])
    case .list: .list(.any)
    case .map: .map
    case .null: .null
    default: .any
    }
  }
}

extension ContextSchema {
  /// The known attribute of a filter's field. A field without a root belongs to the context.
  func attribute(of filter: Filter) -> Attribute? {
    let path = filter.path
    return attribute(path.count == 1 ? [""] + path : path)
  }
}
