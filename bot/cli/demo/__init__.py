"""`footnote demo`: the bot, a stand-in for Slack beside it, and what to try there."""
