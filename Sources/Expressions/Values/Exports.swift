// Times are part of this module's API (`RenderOptions`): whoever imports it has ``Instant``, too.
@_exported public import CivilTime
