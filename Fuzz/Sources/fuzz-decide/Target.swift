import Checks

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer)
  -> CInt
{
  Seeds.prepare(.decisions)
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  DecideCheck.run(UnsafeBufferPointer(start: bytes, count: count))
  return 0
}
