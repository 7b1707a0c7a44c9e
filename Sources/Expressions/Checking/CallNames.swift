/// Macros by name. How they expand is in `CheckerMacros.swift`.
enum Macro: String, CaseIterable {
  case has, all, exists, existsOne, map, filter, sortBy, optMap, optFlatMap
  case transformList, transformMap, transformMapEntry

  /// The names under which a macro is called.
  var names: [String] { self == .existsOne ? [rawValue, "exists_one"] : [rawValue] }
}

/// Finds what a name in a call means by its bytes, so that checking a call builds no string.
struct CallNames: Sendable {
  struct Meaning: Sendable {
    var name: String
    var signatures: [FunctionTable.Signature]
    var macro: Macro?
  }

  private let meanings: [Meaning]
  private var table = InternTable()
  /// The first parts of names with dots, as `math` of `math.abs`.
  private var firstParts: [String] = []
  private var firstPartTable = InternTable()

  static let all = CallNames()

  private init() {
    var meanings: [String: Meaning] = [:]
    for (name, signatures) in FunctionTable.signatures {
      meanings[name] = Meaning(name: name, signatures: signatures, macro: nil)
    }
    for macro in Macro.allCases {
      for name in macro.names {
        meanings[name, default: Meaning(name: name, signatures: [], macro: nil)].macro = macro
      }
    }
    self.meanings = Array(meanings.values)
    for meaning in self.meanings {
      var name = meaning.name
      _ = table.insert(name.withUTF8 { InternTable.combine(0, $0) })
    }
    // `cel` has macros alone.
    firstParts = Set(
      meanings.keys.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) }
    )
    .union(["cel"]).sorted()
    for var part in firstParts {
      _ = firstPartTable.insert(part.withUTF8 { InternTable.combine(0, $0) })
    }
  }

  /// The number of a name that means something.
  func number(of name: ByteView) -> Int? {
    table.find(InternTable.combine(0, name)) { SlotTable.isSame(meanings[$0].name, name) }
  }

  /// Whether some name with dots begins with this part.
  func beginsName(_ part: ByteView) -> Bool {
    firstPartTable.find(InternTable.combine(0, part)) {
      SlotTable.isSame(firstParts[$0], part)
    } != nil
  }

  func name(_ number: Int) -> String { meanings[number].name }

  func macro(_ number: Int) -> Macro? { meanings[number].macro }

  /// The function that a call with so many operands calls, the receiver being one of them.
  func function(_ number: Int, operands: Int, asMethod: Bool) -> Function? {
    for signature in meanings[number].signatures
    where signature.operands.contains(operands)
      && (asMethod ? signature.asMethod : signature.asFunction)
    {
      return signature.function
    }
    return nil
  }
}
