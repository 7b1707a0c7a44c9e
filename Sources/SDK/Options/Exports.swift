// The SDK's signatures have values, results of decisions and prices: `import SDK` is enough to use them.
@_exported public import Expressions
@_exported public import RuleEngine
