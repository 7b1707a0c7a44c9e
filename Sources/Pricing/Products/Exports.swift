// Times are part of this module's API (`PricingContext`), and of those that export it.
@_exported public import CivilTime
