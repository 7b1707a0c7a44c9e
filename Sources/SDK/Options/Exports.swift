// The SDK's signatures contain types of these modules. The exports make `import SDK` enough to use the types.
@_exported public import Expressions
@_exported public import RuleEngine
