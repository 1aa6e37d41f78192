"""A real identity server in a process of its own (server.mjs), installed once per machine. Without Node the tests say so loudly; in CI they fail."""

import base64
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from joserfc.jwk import ECKey

HERE = Path(__file__).parent
CLIENT, PROVIDER, SECRET = "placet", "payment-provider", "the-secret-of-the-payment-provider"
AUDIENCE: Final = "https://payments.example"
MISSING = "There is no Node with npm on this machine, so OAuth 2.0 was NOT tested. Install nodejs and npm to test it."
NOT_INSTALLED = "npm could not install the identity server, so OAuth 2.0 was NOT tested."


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A running identity server: as a test controls it, and as a provider asks it what a token is for."""

    issuer: str
    key: ECKey = field(repr=False)
    http: httpx.Client = field(repr=False)

    def control(self, what: str, **given: Any) -> dict[str, Any]:
        answer = self.http.post(f"/_control/{what}", json=given)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def grant(self, *scopes: str, sub: str = "priya", audience: str = AUDIENCE, client: str = CLIENT) -> None:
        """The person consents that the client acts for them there, with these scopes and no others."""
        self.control("grant", sub=sub, client=client, audience=audience, scopes=scopes)

    def withdraw(self, sub: str = "priya") -> None:
        self.control("withdraw", sub=sub)

    def plan(self, kind: str, **more: Any) -> None:
        """The next requests (`times`, else all; at this `path`, else any) go so."""
        self.control("plan", kind=kind, **more)

    def asked(self, path: str = "/token") -> int:
        """How often it was asked there."""
        return int(self.control("seen")["asked"].count(path))

    def tokens(self) -> list[str]:
        """Every token that it was ever sent, and every one that it issued, in that order for each request."""
        return list(self.control("seen")["tokens"])

    def about(self, token: str) -> dict[str, Any]:
        """What the provider is told about a token."""
        answer = self.http.post("/token/introspection", data={"token": token}, auth=(PROVIDER, SECRET))
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def opaque(self) -> list[str]:
        """The access tokens among all tokens."""
        return [token for token in self.tokens() if "." not in token]

    def live(self) -> list[str]:
        """The access tokens that are still good for something."""
        return [token for token in self.opaque() if self.about(token)["active"]]


@contextmanager
def identity_server() -> Iterator[Identity]:
    """One for as long as the tests need it."""
    folder = _installed()
    key = ECKey.generate_key("P-256", parameters={"kid": "placet-1", "alg": "ES256", "use": "sig"})
    clients = [
        {
            "client_id": CLIENT, "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key.as_dict(private=False)]},
            "grant_types": ["urn:ietf:params:oauth:grant-type:token-exchange"], "redirect_uris": [], "response_types": [],
        },
        {"client_id": PROVIDER, "client_secret": SECRET, "grant_types": [], "redirect_uris": [], "response_types": []},
    ]  # fmt: skip
    command = ["node", str(HERE / "server.mjs"), str(folder), json.dumps({"clients": clients})]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        issuer = process.stdout.readline().strip()
        assert issuer.startswith("http://127.0.0.1:"), "the identity server did not start"
        with httpx.Client(base_url=issuer) as http:
            yield Identity(issuer=issuer, key=key, http=http)
        process.stdin.close()  # it ends by itself, as it does when we are killed


def _installed() -> Path:
    """The folder that holds its node_modules, beside this checkout, so that it is installed once."""
    if not (shutil.which("node") and shutil.which("npm")):
        _untested(MISSING)
    wanted = (HERE / "package.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "placet-tests"
    folder = cache / f"identity-{hashlib.sha256(wanted).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes of tests may come at once
        if not (folder / "installed").exists():
            (folder / "package.json").write_bytes(wanted)
            install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
            ran = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False, timeout=100)
            if ran.returncode != 0:
                _untested(f"{NOT_INSTALLED} {ran.stderr[-500:]}")
            (folder / "installed").touch()
    return folder


def _untested(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def said_in(token: str) -> dict[str, Any]:
    """The claims of a signed token, read and not verified."""
    payload = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))
