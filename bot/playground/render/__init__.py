"""Messages as trees of harmless nodes, which the page turns into elements one by one.

A node is a string, or an object with `tag`, `children` and a few known attributes. There is no
HTML text anywhere, so nothing a message contains can become markup.
"""
