"""Gives the wheel the tag of its platform: the library inside is for one, and for every Python."""

from __future__ import annotations

import os
import platform
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        system = os.environ.get("TOLLGATE_WHEEL_PLATFORM")
        if system is None:
            name = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            system = name if platform.system() != "Linux" else f"linux_{platform.machine()}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{system}"
