# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in a kernel's source, for error messages that name a second place."""

import re


def after(marker: str, kernel) -> str:
    """The line and column of the assignment in the line that has the comment `# marker`."""
    lines = kernel.source.lines
    number = next(i for i, line in enumerate(lines) if f"# {marker}" in line)
    indent = len(lines[number]) - len(lines[number].lstrip())
    return f"{kernel.source.first_line + number}:{indent + 1}"


def line_of(text: str, kernel) -> str:
    """The line and column at which a text first occurs in the source."""
    lines = kernel.source.lines
    number = next(i for i, line in enumerate(lines) if text in line)
    return f"{kernel.source.first_line + number}:{lines[number].index(text) + 1}"


def filled(message: str, kernel) -> str:
    """The message with each `<text>` replaced by the place of the comment `# text` or of `text`."""

    def place(match) -> str:
        text = match[1]
        is_comment = any(f"# {text}" in line for line in kernel.source.lines)
        return after(text, kernel) if is_comment else line_of(text, kernel)

    return re.sub(r"<(.*?)>", place, message)
