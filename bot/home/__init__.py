"""The Home tab: sections, each a pure function of its own file, put together for one person."""

from bot.home.tab import home_view

__all__ = ["home_view"]
