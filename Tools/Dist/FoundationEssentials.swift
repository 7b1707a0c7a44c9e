// What ArgumentParser uses of FoundationEssentials, for the command that is shipped: the whole of that
// module is 5 MB, and the parser needs it to describe itself as JSON, of which the manual pages are made
// before. Everything else that the parser does is the same without.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { nil }
}

public struct Data: Sendable {}

public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
  }

  public var outputFormatting: OutputFormatting = []

  public init() {}

  /// Ends the process: the parser takes no error from here.
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    let message = "Error: this build of tollgate does not describe itself as JSON; see 'man tollgate'\n"
    _ = message.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    exit(2)
  }
}

extension String {
  public struct Encoding: Sendable {
    public static let utf8 = Encoding()
  }

  public init?(data: Data, encoding: Encoding) { return nil }
}
