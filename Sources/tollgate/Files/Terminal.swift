/// What the streams that people read can show.
enum Terminal {
  /// Whether colours are written: by the streams and the environment, or as --color says.
  enum ColorChoice: String, CaseIterable {
    case auto, always, never
  }

  /// What the command line says, also while nobody has parsed it.
  static let colorChoice: ColorChoice = {
    let value = CommandWords.value(of: "--color", in: Arguments.all.dropFirst())
    return value.flatMap { ColorChoice(rawValue: $0) } ?? .auto
  }()

  private static func variable(_ name: String) -> String? {
    Variable.text(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  static func isTerminal(_ stream: FileDescriptor) -> Bool { isatty(stream.rawValue) == 1 }

  private static let isDumb = variable("TERM") == "dumb"

  /// Whether a line on a stream can be written again in its place.
  static func rewritesLines(_ stream: FileDescriptor) -> Bool { isTerminal(stream) && !isDumb }

  private static let outputHasColor = hasColor(.standardOutput)
  private static let errorHasColor = hasColor(.standardError)

  /// Whether a stream takes colours.
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

  /// The columns that lines are to fit: what COLUMNS says, whatever the stream is, or those of its
  /// terminal. Nil for what is not one, and takes lines of any length.
  static func width(_ stream: FileDescriptor) -> Int? {
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    guard isTerminal(stream) else { return nil }
    var size = winsize()
    guard ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
