// Products and prices are part of this module's API (`ProductList`, `TextProducts`), so importing
// the module makes them visible too.
@_exported public import Pricing
