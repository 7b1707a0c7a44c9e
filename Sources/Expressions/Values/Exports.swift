// Times are part of this module's API (`RenderOptions`), so importing it also imports ``Instant``.
@_exported public import CivilTime
