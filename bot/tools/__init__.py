"""What a model may do besides answering."""

from bot.tools.registry import Registry
from bot.tools.search import SearchTool
from bot.tools.tool import Context, Result, Tool, ToolFailed, TryAgain

__all__ = ["Context", "Registry", "Result", "SearchTool", "Tool", "ToolFailed", "TryAgain"]
