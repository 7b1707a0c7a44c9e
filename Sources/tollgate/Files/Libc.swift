// The only import of the C library in the command.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif

extension sigaction {
  /// The handler, which each C library stores in a member with another name.
  var handler: (@convention(c) (Int32) -> Void)? {
    get {
      #if canImport(Darwin)
        __sigaction_u.__sa_handler
      #elseif canImport(Glibc)
        __sigaction_handler.sa_handler
      #else
        __sa_handler.sa_handler
      #endif
    }
    set {
      #if canImport(Darwin)
        __sigaction_u.__sa_handler = newValue
      #elseif canImport(Glibc)
        __sigaction_handler.sa_handler = newValue
      #else
        __sa_handler.sa_handler = newValue
      #endif
    }
  }
}
