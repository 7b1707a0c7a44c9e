import Checks

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer)
  -> CInt
{
  Seeds.prepare(.agentWallie)
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  ConfigCheck.runAgentWallie(UnsafeBufferPointer(start: bytes, count: count))
  return 0
}
