// Times are part of this module's API (`PricingContext`), and of the modules that export it.
@_exported public import CivilTime
