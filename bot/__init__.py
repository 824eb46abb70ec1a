"""Footnote's bot: Slack in, cited answers or NO_MATCH out."""
