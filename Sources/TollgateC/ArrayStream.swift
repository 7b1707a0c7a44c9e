// Names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CArrow
internal import CShims
public import CTollgate
internal import Expressions
internal import RuleBatch

/// A stream of one array. The schema can be moved away only once, which is enough for Tollgate's own reader. A reader
/// that asks again gets an error.
private final class ArrayStream {
  // SAFETY: Schema and array are moved in, and the caller's are marked as released. Each is moved
  // out at most once; `deinit` releases what is left.
  // Tests: TableTests.streamsAreReleasedWhateverHappens, asan.

  private var schema: ArrowSchema
  private var array: ArrowArray
  private var hasEnded = false

  init(
    taking schema: UnsafeMutablePointer<ArrowSchema>,
    _ array: UnsafeMutablePointer<ArrowArray>
  ) {
    self.schema = schema.pointee
    self.array = array.pointee
    schema.pointee.release = nil
    array.pointee.release = nil
  }

  deinit {
    schema.release?(&schema)
    array.release?(&array)
  }

  func takeSchema(_ out: UnsafeMutablePointer<ArrowSchema>) -> Int32 {
    guard schema.release != nil else { return EINVAL }
    out.initialize(to: schema)
    schema.release = nil
    return 0
  }

  func takeArray(_ out: UnsafeMutablePointer<ArrowArray>) -> Int32 {
    out.initialize(to: hasEnded ? ArrowArray() : array)
    array.release = nil
    hasEnded = true
    return 0
  }

  static func of(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ArrayStream? {
    stream?.pointee.private_data.map {
      Unmanaged<ArrayStream>.fromOpaque($0).takeUnretainedValue()
    }
  }

  func export(to out: UnsafeMutablePointer<ArrowArrayStream>) {
    // SAFETY: `private_data` retains the stream. `release` clears itself and releases it, so it
    // runs once. Tests: TableTests.streamsAreReleasedWhateverHappens, asan.
    out.initialize(
      to: ArrowArrayStream(
        get_schema: { stream, out in
          guard let own = ArrayStream.of(stream), let out else { return EINVAL }
          return own.takeSchema(out)
        },
        get_next: { stream, out in
          guard let own = ArrayStream.of(stream), let out else { return EINVAL }
          return own.takeArray(out)
        },
        get_last_error: { _ in nil },
        release: { stream in
          guard let stream, stream.pointee.release != nil else { return }
          stream.pointee.release = nil
          if let own = stream.pointee.private_data {
            Unmanaged<ArrayStream>.fromOpaque(own).release()
          }
          stream.pointee.private_data = nil
        },
        private_data: Unmanaged.passRetained(self).toOpaque()))
  }
}

@c @implementation
public func tg_array_stream(
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?,
  _ out: UnsafeMutablePointer<ArrowArrayStream>?, _ error: UnsafeMutablePointer<tg_text>?
) -> Int32 {
  out?.initialize(to: ArrowArrayStream())
  return attempt(error) { () throws(LibraryError) in
    guard let schema else { throw .null("schema") }
    guard let array else { throw .null("array") }
    guard schema.pointee.release != nil, array.pointee.release != nil else {
      let what = schema.pointee.release == nil ? "schema" : "array"
      throw LibraryError(ArrowError("", "the \(what) has been released"), TG_BAD_ARRAY)
    }
    let stream = ArrayStream(taking: schema, array)
    guard let out else { throw .null("out") }
    stream.export(to: out)
  }
}
