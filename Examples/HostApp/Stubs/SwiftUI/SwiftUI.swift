// The types of SwiftUI that the example uses. They do nothing.

@_exported import Observation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError("this is a stub") }
}

public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
  public var body: Never { return fatalError("this is a stub") }
}

public struct EmptyView: PrimitiveView {
  public init() {}
}

/// The result of every builder and modifier.
public struct StubView: PrimitiveView {
  nonisolated init(_ isStub: Bool = true) {}
}

@resultBuilder
public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> StubView {
    StubView()
  }
  public static func buildOptional<Content: View>(_ content: Content?) -> StubView { StubView() }
}

public struct Text: PrimitiveView {
  public init(_ text: some StringProtocol) {}
}

public struct Button: PrimitiveView {
  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

public struct VStack: PrimitiveView {
  public init(spacing: Double? = nil, @ViewBuilder content: () -> some View) {}
}

public struct ForEach: PrimitiveView {
  public init<Element, ID: Hashable>(
    _ data: [Element], id: KeyPath<Element, ID>,
    @ViewBuilder content: @escaping (Element) -> some View
  ) {}
}

public struct Font: Sendable {
  public static let title = Font()
}

extension View {
  public func font(_ font: Font?) -> some View { StubView() }
  public func padding() -> some View { StubView() }
  public func disabled(_ isDisabled: Bool) -> some View { StubView() }
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { StubView() }
  public func task(_ action: @escaping @Sendable @isolated(any) () async -> Void) -> some View {
    StubView()
  }
  public func sheet<Item: Identifiable>(
    item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping (Item) -> some View
  ) -> some View { StubView() }
  public func alert(
    _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
    @ViewBuilder message: () -> some View
  ) -> some View { StubView() }
}

@propertyWrapper
public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
}

@propertyWrapper
public struct State<Value> {
  private final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private let box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }
}

@dynamicMemberLookup @propertyWrapper
public struct Bindable<Value: AnyObject> {
  public var wrappedValue: Value

  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }

  public var projectedValue: Bindable<Value> { self }

  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    let object = wrappedValue
    return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
  }
}
