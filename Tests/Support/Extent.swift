import Foundation

/// How much of what is random, long or large a run of the tests does.
///
/// People wait for `make test`, which takes a part of it. With `TOLLGATE_TESTS=all` everything is done:
/// `make test-all` and the sanitizers run it so.
public enum Extent {
  public static let isWhole = ProcessInfo.processInfo.environment["TOLLGATE_TESTS"] == "all"

  /// All of these, or every eighth of them.
  public static func some<Bound: Strideable>(_ all: Range<Bound>, every step: Int = 8) -> [Bound]
  where Bound.Stride: SignedInteger {
    all.enumerated().filter { isWhole || $0.offset % step == 0 }.map(\.element)
  }

  /// The number for a whole run, or the lower one.
  public static func count(_ all: Int, or few: Int) -> Int { isWhole ? all : few }
}
