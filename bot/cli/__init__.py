"""The commands of `footnote`: a module each, and how they speak to a terminal or a program."""
