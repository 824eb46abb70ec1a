"""What people told the bot: kept, found by meaning, and shown to nobody but its owner."""

from bot.memory.memories import NOTHING, Fact, Memory, Owner, Recalled
from bot.memory.store import Memories

__all__ = ["NOTHING", "Fact", "Memories", "Memory", "Owner", "Recalled"]
