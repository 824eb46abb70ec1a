"""Knowledge that comes in from Slack: links, files and threads, made into documents."""
