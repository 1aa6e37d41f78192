"""Secrets go over https, or nowhere but to this machine itself."""

import pytest

from engine.rules import addresses


@pytest.mark.parametrize(
    "address",
    [
        "https://id.example", "https://id.example:8443/realms/acme", "https://[2001:db8::1]/", "http://127.0.0.1:4000", "http://[::1]:4000/x",
        "http://localhost/token", "http://127.8.9.1",
    ],
)  # fmt: skip
def test_fit(address: str) -> None:
    assert addresses.unfit(address) is None


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://id.example", "it begins with http://, and only https:// keeps a secret on its way"),
        ("http://127.0.0.1.example", "it begins with http://"),
        ("http://localhost.example", "it begins with http://"),
        ("http://10.0.0.1", "it begins with http://"),
        ("payments", "it is no web address, which begins with https://"),
        ("https://", "it is no web address, which begins with https://"),
        ("urn:payments", "it is no web address"),
        ("ftp://id.example", "it is no web address"),
        ("", "it holds a blank or another character that no web address has"),
        ("https://id.example/a b", "it holds a blank"),
        ("https://id.exämple", "it holds a blank or another character"),
        ("https://id.example\n", "it holds a blank"),
        ("https://id.example:port", "it is no web address"),
        ("https://[::1", "it is no web address"),
        ("https://user:word@id.example", "it holds a name, a password or a fragment"),
        ("https://id.example#here", "it holds a name, a password or a fragment"),
    ],
)
def test_unfit(address: str, why: str) -> None:
    assert str(addresses.unfit(address)).startswith(why)
