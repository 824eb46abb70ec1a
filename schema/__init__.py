"""The database: its server when it is ours, its migrations, its engines, its connections."""

from schema.database import Pool, open_pool
from schema.embedded import Server, default_data_dir, use
from schema.engines import Engine, engine_named
from schema.errors import SchemaError
from schema.migrate import Facts, Installed, MigrationReport, check, inspect, migrate
from schema.scratch import scratch_database

__all__ = [
    "Engine",
    "Facts",
    "Installed",
    "MigrationReport",
    "Pool",
    "SchemaError",
    "Server",
    "check",
    "default_data_dir",
    "engine_named",
    "inspect",
    "migrate",
    "open_pool",
    "scratch_database",
    "use",
]
