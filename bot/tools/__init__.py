"""What a model may do besides answering.

A module here that has a class with the attributes of `Tool` is found by itself, and so is a class
that an installed package names under the entry point `footnote.tools`.
"""

from bot.tools.registry import Registry
from bot.tools.tool import Arguments, Context, Result, Tool, ToolFailed, TryAgain

__all__ = ["Arguments", "Context", "Registry", "Result", "Tool", "ToolFailed", "TryAgain"]
