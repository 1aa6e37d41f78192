"""OAuth 2.0: from a grant to an access token by RFC 8693, asked for when it is needed, looked at once more, and revoked after the call.

The consent lives at the identity server, found by the requester and by us; no token of a person is ever held here. What we send is said
by us, signed, and good for a minute: for whom (the subject) and who acts (the actor), so that the agent is seen as `act` and never takes
the person's place. The one rule: a token that is not exactly what was asked for is not used.
"""

import json
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

from joserfc.jwk import ECKey

from engine.workers.answers import Refused, Said
from engine.workers.credentials import Grant, GrantGone, Minted, Unreachable
from engine.workers.identity_server import IdentityServer, Patience
from engine.workers.loans import Loans

_log = logging.getLogger(__name__)

MOST_S: Final = 300
"""For how long a token may be good, in seconds."""

_GRANT_TYPE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"
_JWT: Final = "urn:ietf:params:oauth:token-type:jwt"
_ACCESS: Final = "urn:ietf:params:oauth:token-type:access_token"

_GONE: Final[Mapping[str, tuple[str, str]]] = {
    "invalid_grant": ("the consent is missing, was withdrawn or has run out", "Have it given there"),
    "access_denied": ("it is not allowed", "Have it allowed there"),
    "invalid_target": ("nothing is given for the tool's audience", "Have the audience known and consented to there"),
    "invalid_scope": ("not all of the tool's scopes may be had", "Have them given there"),
}
"""Errors that are an answer about the grant: what they say, and what to do; any other says only that we are not to ask so."""

_SET_UP: Final = "Have the identity server set up for this, then launch again."


def at(issuer: str, client_id: str, key: str) -> "Exchange":
    """The exchange at this server, as this client, with its private key as the text of a JWK."""
    return Exchange(IdentityServer(issuer, client_id, ECKey.import_key(json.loads(key))))


class Exchange:
    """Access tokens from an identity server. Safe to use from several threads."""

    def __init__(self, server: IdentityServer) -> None:
        self._server = server
        self._loans = Loans()

    def mint(self, grant: Grant) -> Minted | GrantGone | Unreachable:
        """A token for exactly this grant, which the identity server says is good at this moment."""
        self._loans.take(grant.requester)
        issued: Minted | None = None
        came: Minted | GrantGone | Unreachable | None = None
        try:
            patience, began = self._server.patience(), self._server.clock()
            said = self._server.post("token", lambda: self._asked_for(grant), patience)
            if isinstance(said, Said):
                issued = _issued(said.data, grant, began)
                came = (
                    self._looked_at(issued, said.data, grant, patience)
                    if issued
                    else self._odd("gave no token that can be sent")
                )
            else:
                came = said if isinstance(said, Unreachable) else self._no(said)
            return came
        finally:
            if not isinstance(came, Minted):
                self._loans.bring(grant.requester, issued, self._revoke)

    def holds(self, minted: Minted) -> bool:
        """Whether its server still says so; yes, if it says nothing."""
        said = self._server.post("introspection", lambda: _about(minted), self._server.patience())
        return not isinstance(said, Said) or said.data.get("active") is True

    def give_back(self, minted: Minted) -> None:
        """Have it revoked (RFC 7009), at the latest when nothing is lent for this person any more."""
        if minted.lent_for is not None:
            self._loans.bring(minted.lent_for, minted, self._revoke)

    def _revoke(self, all_back: Sequence[Minted]) -> None:
        patience = self._server.patience_of_one()
        for one in all_back:
            came = self._server.post("revocation", partial(_about, one), patience)
            if not isinstance(came, Said):
                why = came.error if isinstance(came, Refused) else came.why
                _log.info("what was lent could not be given back, and runs out by itself: %s", why)

    def _looked_at(
        self, issued: Minted, data: Mapping[str, Any], grant: Grant, patience: Patience
    ) -> Minted | GrantGone | Unreachable:
        """What was issued, if it is what was asked for by what came with it, and by what is said of it when asked."""
        wrong = _wrong_answer(data, grant)
        if wrong is None:
            said = self._server.post("introspection", lambda: _about(issued), patience)
            if isinstance(said, Unreachable):
                return said
            if isinstance(said, Refused):
                return self._odd(f"does not say what its token is for ({said.error})")
            wrong = _wrong_token(said.data, grant)
        return GrantGone(f"The identity server gave a token {wrong}.", _SET_UP) if wrong else issued

    def _asked_for(self, grant: Grant) -> dict[str, str]:
        assert grant.audience is not None
        return {
            "grant_type": _GRANT_TYPE,
            "requested_token_type": _ACCESS,
            "subject_token": self._server.signed(grant.requester, _JWT),
            "subject_token_type": _JWT,
            "actor_token": self._server.signed(grant.acts_as, _JWT),
            "actor_token_type": _JWT,
            "scope": " ".join(grant.scopes),
            "audience": grant.audience,
            "resource": grant.audience,
        }

    def _no(self, refused: Refused) -> GrantGone | Unreachable:
        said = f"{refused.error}: {refused.words}" if refused.words else refused.error
        if refused.error in _GONE:
            meant, mend = _GONE[refused.error]
            return GrantGone(
                f"The identity server does not grant this: {meant} ({said}).", f"{mend}, then launch again."
            )
        what = f"does not take what we ask: {said}. Check PLACET_OAUTH_CLIENT_ID, PLACET_OAUTH_KEY_FILE, and its own settings"
        _log.error("NOTHING THAT NEEDS A TOKEN IS DONE: the identity server %s %s", self._server.issuer, what)
        return self._odd(what)

    def _odd(self, what: str) -> Unreachable:
        return Unreachable(f"The identity server {self._server.issuer} {what}.")


def _issued(data: Mapping[str, Any], grant: Grant, began: float) -> Minted | None:
    """The token in an answer; None: there is none that can be sent. What it is good for is not looked at."""
    token, lasts_s = data.get("access_token"), data.get("expires_in")
    if not isinstance(token, str) or not re.fullmatch("[!-~]+", token):
        return None
    return Minted(token, ends=began + lasts_s if type(lasts_s) is int else None, lent_for=grant.requester)


def _about(minted: Minted) -> dict[str, str]:
    return {"token": minted.credential, "token_type_hint": "access_token"}


def _wrong_answer(data: Mapping[str, Any], grant: Grant) -> str | None:
    """What is wrong with what came with a token; None: nothing."""
    kind, lasts_s = data.get("token_type"), data.get("expires_in")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        return "that is no bearer token"
    if data.get("issued_token_type", _ACCESS) != _ACCESS:
        return "that is no access token"
    if type(lasts_s) is not int or lasts_s <= 0:
        return "without saying for how long it is good"
    if lasts_s > MOST_S:
        return f"that is good for {lasts_s} seconds, and more than {MOST_S} are too many for one call"
    return _wrong_scopes(data["scope"], grant.scopes) if "scope" in data else None  # else as asked (RFC 6749, 5.1)


def _wrong_token(data: Mapping[str, Any], grant: Grant) -> str | None:
    """What is wrong with a token by what its server says of it (RFC 7662); None: it is what was asked for."""
    if data.get("active") is not True:
        return "that it says is good for nothing"
    given, actor = data.get("aud"), data.get("act")
    if grant.audience not in (given if isinstance(given, list) else [given]):
        return "for another audience"
    if data.get("sub") != grant.requester:
        return "in the name of somebody else"
    if not isinstance(actor, dict) or actor.get("sub") != grant.acts_as:
        return "that does not name the agent as the one who acts"
    return _wrong_scopes(data.get("scope"), grant.scopes)


def _wrong_scopes(given: object, asked: Collection[str]) -> str | None:
    has = set(given.split()) if isinstance(given, str) else set()
    if missing := sorted(set(asked) - has):
        return f"without {', '.join(missing)}"
    if more := has - set(asked):
        return f"that can do more than was asked for ({len(more)} scope{'s' * (len(more) != 1)} too many)"
    return None
