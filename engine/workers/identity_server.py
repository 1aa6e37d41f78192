"""The identity server as it is called: where its endpoints are (RFC 8414), as whom we ask (RFC 7523), and for how long we try.

The one rule: whatever it does, an answer or a sentence comes within a known time; and no token is ever in an address, a log line, an
exception or what is printed. What its answers mean is in exchange.py.
"""

import logging
import ssl
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import ECKey

from engine.rules import addresses
from engine.workers.answers import Nothing, Refused, Said, read, shown
from engine.workers.credentials import Unreachable

_log = logging.getLogger(__name__)

Endpoint = Literal["token", "introspection", "revocation"]

BETWEEN_TRIES_S: Final = (0.25, 0.75)
"""Waits before it is asked once more: three tries."""
KNOWN_S: Final = 300.0
"""For how long its endpoints are known."""
ASSERTED_S: Final = 60
"""For how long what we say in a signed token holds."""
LONGEST: Final = 65_536
"""Bytes of an answer that are read."""

_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds: until it is reached, between two pieces of an answer, and for all tries of all that one credential needs."""

    connect_s: float = 2.0
    answer_s: float = 2.0
    in_all_s: float = 6.0


class Patience:
    """For how long, and how often, one thing is tried. Waiting and the clock are the caller's."""

    def __init__(
        self, in_all_s: float, between_s: tuple[float, ...], wait: Callable[[float], object], clock: Callable[[], float]
    ) -> None:
        self._between, self._wait, self._clock = between_s, wait, clock
        self._ends = clock() + in_all_s

    @property
    def left_s(self) -> float:
        """Seconds until it is over, none below zero."""
        return max(0.0, self._ends - self._clock())

    def tries(self) -> Iterator[None]:
        """One for each try, with the waits between them."""
        yield
        for wait_s in self._between:
            if self.left_s <= wait_s:
                return
            self._wait(wait_s)
            yield


class IdentityServer:
    """One identity server, and us as its client. Safe to use from several threads; holds no connection between two calls."""

    def __init__(
        self, issuer: str, client_id: str, key: ECKey, *, limits: Limits | None = None,
        wait: Callable[[float], object] = time.sleep, clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.issuer = issuer
        self.client_id = client_id
        self.clock = clock
        self._key, self._wait, self._limits = key, wait, limits or Limits()
        self._known: tuple[float, Mapping[str, str]] | None = None

    def patience(self) -> Patience:
        """What all calls for one credential have together."""
        return Patience(self._limits.in_all_s, BETWEEN_TRIES_S, self._wait, self.clock)

    def patience_of_one(self) -> Patience:
        """For a call whose answer nobody needs: one try."""
        return Patience(self._limits.answer_s, (), self._wait, self.clock)

    def signed(self, subject: str, typ: str) -> str:
        """What we say about somebody, for a minute, to this server alone."""
        now = int(time.time())
        header = {"alg": "ES256", "typ": typ, **({"kid": self._key.kid} if self._key.kid else {})}
        claims = {
            "iss": self.client_id, "sub": subject, "aud": self.issuer, "iat": now, "exp": now + ASSERTED_S, "jti": uuid.uuid4().hex,
        }  # fmt: skip
        return jwt.encode(header, claims, self._key)

    def post(
        self, endpoint: Endpoint, form: Callable[[], Mapping[str, str]], patience: Patience
    ) -> Said | Refused | Unreachable:
        """Ask, as us. `form` is made anew for each try, since what is signed in it may be used only once."""
        endpoints = self._endpoints(patience)
        if isinstance(endpoints, Nothing):
            return self._away(endpoints)
        if endpoint not in endpoints:
            return self._away(Nothing(f"says nowhere where its {endpoint} endpoint is"))

        def signed_form() -> Mapping[str, str]:
            us = {"client_id": self.client_id, "client_assertion": self.signed(self.client_id, "JWT")}
            return {**form(), **us, "client_assertion_type": _ASSERTION}

        came = self._tried("POST", endpoints[endpoint], signed_form, patience)
        if isinstance(came, Nothing):
            self._known = None  # it may have moved
            return self._away(came)
        return came

    def _away(self, no: Nothing) -> Unreachable:
        return Unreachable(f"The identity server {self.issuer} {no.why}.")

    def _endpoints(self, patience: Patience) -> Mapping[str, str] | Nothing:
        """Where it is asked what, as it says itself."""
        if self._known is not None and self._known[0] > self.clock():
            return self._known[1]
        came: Said | Refused | Nothing = Nothing("was not asked")
        for address in _well_known(self.issuer):
            came = self._tried("GET", address, dict, patience)
            if isinstance(came, Said) or (isinstance(came, Nothing) and came.passing):
                break
        if not isinstance(came, Said):
            return (
                came if isinstance(came, Nothing) else Nothing(f"does not say where its endpoints are ({came.error})")
            )
        if came.data.get("issuer") != self.issuer:
            return Nothing("calls itself something else there. Set PLACET_OAUTH_ISSUER to exactly what it calls itself")
        found = _addresses(came.data)
        if isinstance(found, Mapping):
            self._known = (self.clock() + KNOWN_S, found)
        return found

    def _tried(
        self, method: str, address: str, form: Callable[[], Mapping[str, str]], patience: Patience
    ) -> Said | Refused | Nothing:
        came: Said | Refused | Nothing = Nothing("was not asked")
        for _ in patience.tries():
            came = self._asked(method, address, form(), patience)
            if not (isinstance(came, Nothing) and came.passing):
                break
            _log.info("the identity server %s", came.why)
        return came

    def _asked(
        self, method: str, address: str, form: Mapping[str, str], patience: Patience
    ) -> Said | Refused | Nothing:
        """Once. No redirect is followed: a token must not go where nobody said that it may."""
        left_s = patience.left_s
        limit = httpx.Timeout(min(self._limits.answer_s, left_s), connect=min(self._limits.connect_s, left_s))
        plain = {"Accept": "application/json", "Accept-Encoding": "identity"}
        by_proxy = address.startswith("https:")  # what is not encrypted must not leave this machine
        try:
            with (
                httpx.Client(timeout=limit, verify=_trusted(), follow_redirects=False, trust_env=by_proxy) as client,
                client.stream(method, address, data=form or None, headers=plain) as answer,
            ):
                return read(answer.status_code, _whole(answer, patience))
        except httpx.TimeoutException:
            return Nothing("did not answer in time", passing=True)
        except httpx.HTTPError as error:
            return Nothing(f"could not be reached ({shown(str(error)) or type(error).__name__})", passing=True)


@cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates are believed: made once, since it takes as long as a hundred requests."""
    return httpx.create_ssl_context()


def _whole(answer: httpx.Response, patience: Patience) -> bytes:
    """The body, as far as it is read; what comes drop by drop is not waited for."""
    body = b""
    for piece in answer.iter_raw():
        body += piece
        if patience.left_s <= 0:
            raise httpx.ReadTimeout("it never ends")
        if len(body) > LONGEST:
            break
    return body[:LONGEST]


def _well_known(issuer: str) -> tuple[str, str]:
    """Where its metadata is, by RFC 8414 and by OpenID Connect Discovery, which differ for an issuer with a path."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    root = f"{parts.scheme}://{parts.netloc}"
    return f"{root}/.well-known/oauth-authorization-server{path}", f"{root}{path}/.well-known/openid-configuration"


def _addresses(data: Mapping[str, Any]) -> Mapping[str, str] | Nothing:
    found: dict[str, str] = {}
    for name in ("token", "introspection", "revocation"):
        address = data.get(f"{name}_endpoint")
        if address is None:
            continue
        if not isinstance(address, str) or (why := addresses.unfit(address)):
            return Nothing(
                f"names a {name} endpoint that cannot be used: {why if isinstance(address, str) else 'it is no text'}"
            )
        found[name] = address
    return found
