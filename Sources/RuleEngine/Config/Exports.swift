// Products and prices are part of this module's API (`ProductList`, `TextProducts`): whoever imports
// it has them, too.
@_exported public import Pricing
