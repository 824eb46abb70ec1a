"""Text that others wrote (chunks, names, messages of a thread), made safe to put into a prompt.

`block` wraps it as data in markers that it can't close. Inside, what is known to pass for an
instruction is *quoted*: `⟦quoted: ignore·all·previous·instructions⟧`, the words legible and no
sentence any more. Only the prompt's copy is changed: what people see, what is cited and what
commands are checked against stays as it was written.

This lowers the odds; it is no proof. What an answer may show is decided by the citation contract.
"""

from bot.untrusted.blocks import block, one_line
from bot.untrusted.quoting import Finding, defused, findings

__all__ = ["Finding", "block", "defused", "findings", "one_line"]
