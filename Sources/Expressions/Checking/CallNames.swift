/// Looks up a name in a call by its bytes, so that checking a call builds no string.
struct CallNames: Sendable {
  /// One way of calling a function.
  private struct Call {
    var function: Function
    var operands: ClosedRange<Int>
    var isMethod: Bool

    /// How the call is written, for messages.
    func usage(_ name: String) -> String {
      let letters = ["a", "b", "c", "d"].prefix(operands.lowerBound)
      return isMethod
        ? "a.\(name)(\(letters.dropFirst().joined(separator: ", ")))"
        : "\(name)(\(letters.joined(separator: ", ")))"
    }
  }

  private struct Meaning {
    var name: String
    var calls: [Call] = []
    var macro: Macro?
    var usage = ""
  }

  private let meanings: [Meaning]
  private var table = InternTable()
  /// The first parts of dotted names, such as `math` of `math.abs`.
  private var firstParts: [String] = []
  private var firstPartTable = InternTable()

  static let all = CallNames()

  private init() {
    // SAFETY: Views of strings stay in their closures, which only compute a hash.
    // Tests: SharingTests, corpus.
    var functions: [String: Meaning] = [:]
    for entry in FunctionEntry.named(in: .cel) {
      for (name, isMethod) in [(entry.method, true), (entry.name, false)] {
        guard let name else { continue }
        let call = Call(function: entry.function, operands: entry.counts, isMethod: isMethod)
        functions[name, default: Meaning(name: name)].calls.append(call)
      }
    }
    var meanings = functions.values.sorted { $0.name < $1.name }
    for i in meanings.indices {
      let name = meanings[i].name
      meanings[i].usage = meanings[i].calls.map { $0.usage(name) }.joined(separator: " or ")
    }
    let macros = Macro.allCases.flatMap { macro in
      macro.usages.map { Meaning(name: $0, macro: macro, usage: $1) }
    }
    meanings += macros.sorted { $0.name < $1.name }
    self.meanings = meanings
    for meaning in meanings {
      var name = meaning.name
      _ = table.insert(name.withUTF8 { InternTable.combine(0, $0) })
    }
    // `cel` has only macros.
    firstParts = Set(
      functions.keys.filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) }
    )
    .union(["cel"]).sorted()
    for var part in firstParts {
      _ = firstPartTable.insert(part.withUTF8 { InternTable.combine(0, $0) })
    }
  }

  /// The number of a name, or nil if the name is unknown.
  func number(of name: ByteView) -> Int? {
    // SAFETY: The view is compared with the names' bytes and not stored. Tests: FilterTests,
    // SharingTests, corpus.
    table.find(InternTable.combine(0, name)) { SlotTable.isSame(meanings[$0].name, name) }
  }

  /// Whether a dotted name begins with this part.
  func beginsName(_ part: ByteView) -> Bool {
    // SAFETY: The view is compared with the names' bytes and not stored. Tests: FilterTests,
    // SharingTests, corpus.
    firstPartTable.find(InternTable.combine(0, part)) {
      SlotTable.isSame(firstParts[$0], part)
    } != nil
  }

  /// All names: functions, then macros.
  var names: [String] { meanings.map { $0.name } }

  func name(_ number: Int) -> String { meanings[number].name }

  func macro(_ number: Int) -> Macro? { meanings[number].macro }

  /// How calls of a name are written, or nil if the name is unknown.
  func usage(_ name: String) -> String? {
    var name = name
    return name.withUTF8 { number(of: $0) }.map { meanings[$0].usage }
  }

  /// The function that a call with this number of operands calls. The receiver also counts as an operand.
  func function(_ number: Int, operands: Int, asMethod: Bool) -> Function? {
    meanings[number].calls.first {
      $0.isMethod == asMethod && $0.operands.contains(operands)
    }?.function
  }
}
