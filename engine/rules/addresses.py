"""Which web addresses secrets may be sent to."""

import ipaddress
import re
from urllib.parse import urlsplit


def unfit(address: str) -> str | None:
    """Why no secret may be sent to this address; None: it may. Only https keeps one, or a way that never leaves this machine."""
    if not re.fullmatch("[!-~]+", address):
        return "it holds a blank or another character that no web address has"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is no web address"
    if parts.scheme not in ("http", "https") or not host:
        return "it is no web address, which begins with https://"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "it holds a name, a password or a fragment, which has no place in it"
    if parts.scheme == "http" and not _is_here(host):
        return "it begins with http://, and only https:// keeps a secret on its way"
    return None


def _is_here(host: str) -> bool:
    """Whether what is sent there never leaves this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
