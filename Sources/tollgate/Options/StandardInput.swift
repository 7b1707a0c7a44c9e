internal import ArgumentParser

/// Standard input, which can be read only once.
enum StandardInput {
  /// Ends the command if more than one of its files is standard input.
  static func check(_ paths: [String?]) throws {
    if paths.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("only one file can be standard input")
    }
  }
}
