"""Shows the doctests of docstrings as code; Markdown would read their prompts as quotations."""

import griffe


class Doctests(griffe.Extension):
    """Puts fences around them when a docstring has been read."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        self.fence(pkg)

    def fence(self, obj: griffe.Object) -> None:
        for member in obj.members.values():
            if not member.is_alias:
                self.fence(member)
        if obj.docstring is None:
            return
        lines, is_open = [], False
        for line in obj.docstring.value.split("\n"):
            if line.startswith(">>>") and not is_open:
                lines.append("```pycon")
                is_open = True
            elif not line.strip() and is_open:
                lines.append("```")
                is_open = False
            lines.append(line)
        obj.docstring.value = "\n".join([*lines, "```"] if is_open else lines)
