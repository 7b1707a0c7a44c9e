import Checks

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer)
  -> CInt
{
  Seeds.prepare(.superscript)
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  SuperscriptCheck.run(UnsafeBufferPointer(start: bytes, count: count))
  return 0
}

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: CUnsignedInt
)
  -> Int
{
  ExpressionMutator.mutate(bytes, count: count, room: room, seed: seed)
}
