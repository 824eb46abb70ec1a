"""Slack's Web API: one file for each family of methods."""
