/// The capabilities of the streams that people read.
enum Terminal {
  /// Whether to write colours, according to --color or else to the streams and the environment.
  enum ColorChoice: String, CaseIterable {
    case auto, always, never
  }

  /// The choice of colours on the command line, available before parsing.
  static let colorChoice: ColorChoice = {
    let value = CommandWords.value(of: "--color", in: Arguments.all.dropFirst())
    return value.flatMap { ColorChoice(rawValue: $0) } ?? .auto
  }()

  private static func variable(_ name: String) -> String? {
    Variable.text(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  static func isTerminal(_ stream: FileDescriptor) -> Bool { isatty(stream.rawValue) == 1 }

  private static let isDumb = variable("TERM") == "dumb"

  /// Whether a line on a stream can be rewritten in place.
  static func rewritesLines(_ stream: FileDescriptor) -> Bool { isTerminal(stream) && !isDumb }

  private static let outputHasColor = hasColor(.standardOutput)
  private static let errorHasColor = hasColor(.standardError)

  /// Whether a stream supports colours.
  static func usesColor(_ stream: FileDescriptor) -> Bool {
    stream == .standardOutput ? outputHasColor : errorHasColor
  }

  private static func hasColor(_ stream: FileDescriptor) -> Bool {
    switch colorChoice {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    // https://no-color.org and https://bixense.com/clicolors
    if variable("NO_COLOR") != nil { return false }
    if let forced = variable("CLICOLOR_FORCE"), forced != "0" { return true }
    return isTerminal(stream) && !isDumb
  }

  /// The maximum width of lines: the value of COLUMNS for any stream, or the width of the stream's terminal. Nil for a
  /// stream without a terminal, which accepts lines of any length.
  static func width(_ stream: FileDescriptor) -> Int? {
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    guard isTerminal(stream) else { return nil }
    var size = winsize()
    guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
