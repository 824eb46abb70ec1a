"""Addresses that lead nowhere."""

import pytest

from schema.errors import DatabaseDown
from schema.facts import inspect


@pytest.mark.parametrize(
    "address",
    [
        "no address",
        "postgresql://u:s3cret@127.0.0.1:1/d?connect_timeout=abc",
        "postgresql://u:s3cret@127.0.0.1:1/d?connect_timeout=1e3",
        "postgresql://u:s3cret@db..example.com/d",
        f"postgresql://u:s3cret@{'a' * 70}.example.com/d",
        "postgresql://u:s3cret@h%FF/d",
    ],
)
async def test_what_is_no_address_is_called_so(address: str) -> None:
    """Whatever is wrong with an address, the sentence says how one looks, without the password."""
    with pytest.raises(DatabaseDown, match="is no PostgreSQL address") as caught:
        await inspect(address)
    assert "s3cret" not in str(caught.value)
