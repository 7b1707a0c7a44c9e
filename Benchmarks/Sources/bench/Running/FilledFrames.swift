internal import Expressions

/// Frames of one program, each filled with another context.
///
/// An array cannot hold frames, because they are not copyable.
struct FilledFrames: ~Copyable {
  let count: Int
  private let frames: UnsafeMutablePointer<Frame>

  /// - Throws: ``JSONFault`` for the first context that is not a JSON object.
  init(for program: Program, contexts: [[UInt8]]) throws(JSONFault) {
    var filled = 0
    let frames = UnsafeMutablePointer<Frame>.allocate(capacity: max(contexts.count, 1))
    do throws(JSONFault) {
      for context in contexts {
        var frame = Frame(for: program)
        try frame.fill(json: context)
        (frames + filled).initialize(to: frame)
        filled += 1
      }
    } catch {
      frames.deinitialize(count: filled)
      frames.deallocate()
      throw error
    }
    self.frames = frames
    count = filled
  }

  deinit {
    frames.deinitialize(count: count)
    frames.deallocate()
  }

  /// Numbers of frames in an order without a pattern. In a fixed order, frames would repeat too soon: a processor memorises a
  /// few dozen contexts.
  func order(_ length: Int = 4_096) -> [Int] {
    var random = SplitMix(seed: 64)
    return (0..<length).map { _ in random.next(below: count) }
  }

  subscript(index: Int) -> Frame {
    @inline(__always) _read { yield frames[index] }
    @inline(__always) nonmutating _modify { yield &frames[index] }
  }
}
