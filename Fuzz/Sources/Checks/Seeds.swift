internal import Expressions
internal import Foundation

/// Initial inputs, drawn from the corpus when a target starts.
///
/// `TOLLGATE_CORPUS` is the folder of the corpus. If `TOLLGATE_SEEDS` is set too, the seeds are written there, one file each,
/// for libFuzzer.
public enum Seeds {
  public enum Kind: Sendable {
    case expressions, evaluations, patterns, records, configs
    case superscript, agentWallie, decisions, files, templates, products, prices, scripts
  }

  /// Expressions of the corpus, as a source of parts for mutations.
  nonisolated(unsafe) private(set) static var expressions: [String] = []

  public static func prepare(_ kind: Kind) {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = environment["TOLLGATE_CORPUS"] else { return }
    let cases = SeedCorpus(folder: URL(fileURLWithPath: folder))
    expressions = cases.evaluations.map(\.expression)
    guard let target = environment["TOLLGATE_SEEDS"] else { return }
    write(seeds(kind, cases), to: URL(fileURLWithPath: target))
  }

  private static func seeds(_ kind: Kind, _ cases: SeedCorpus) -> [[UInt8]] {
    switch kind {
    case .expressions: cases.evaluations.map { Array($0.expression.utf8) }
    case .evaluations:
      cases.evaluations.map { Array($0.expression.utf8) + [0] + Array($0.context.utf8) }
    case .patterns: cases.patterns
    // Every platform evaluates each of them.
    case .superscript:
      stride(from: 0, to: cases.evaluations.count, by: 4).map { i in
        let (expression, context) = cases.evaluations[i]
        return Array(expression.utf8) + [0] + Array(context.utf8)
      }
    case .records: cases.records
    case .configs: cases.configs
    case .agentWallie: cases.agentWallie
    case .decisions: cases.decisions
    case .files: cases.files
    case .templates: cases.templates
    case .products: cases.products
    case .prices: cases.prices
    // Each takes long, and all of them begin in the same way.
    case .scripts: stride(from: 0, to: cases.scripts.count, by: 4).map { cases.scripts[$0] }
    }
  }

  private static func write(_ seeds: [[UInt8]], to folder: URL) {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (i, seed) in Set(seeds).sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
      try? Data(seed).write(to: folder.appendingPathComponent("seed-\(i)"))
    }
  }
}
