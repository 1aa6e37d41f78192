"""The exchange against a real identity server: what it asks, what it takes, and what it makes of everything else."""

import logging
import time
from typing import Any

import pytest
from joserfc.jwk import ECKey

from engine.workers.answers import Said
from engine.workers.credentials import Grant, GrantGone, Minted, Unreachable
from engine.workers.exchange import Exchange
from engine.workers.identity_server import IdentityServer
from tests.oauth.identity import AUDIENCE, CLIENT, Identity, said_in

GRANT = Grant(
    requester="priya", acts_as="agent:procurement", action="payment", scopes=("payments:write",), audience=AUDIENCE
)


WITHDRAWN = (
    "The identity server does not grant this: the consent is missing, was withdrawn or has run out "
    "(invalid_grant: grant request is invalid)."
)


def minted(exchange: Exchange, grant: Grant = GRANT) -> Minted:
    came = exchange.mint(grant)
    assert isinstance(came, Minted), came
    return came


def gone(exchange: Exchange, grant: Grant = GRANT) -> str:
    came = exchange.mint(grant)
    assert isinstance(came, GrantGone), came
    return came.why


def unreachable(exchange: Exchange) -> str:
    came = exchange.mint(GRANT)
    assert isinstance(came, Unreachable), came
    return came.why


# ------------------------------------------------------------------------------------------------------------- what it is


def test_the_token_is_for_the_person_and_names_the_agent_that_acts(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write", "payments:refund")
    before = time.monotonic()
    token = minted(exchange)
    said = identity.about(token.credential)
    assert (said["active"], said["sub"], said["act"]) == (True, "priya", {"sub": "agent:procurement"})
    assert (said["scope"], said["aud"], said["client_id"]) == ("payments:write", AUDIENCE, CLIENT)
    assert token.lent_for == "priya"
    assert token.ends is not None
    assert before + 120 <= token.ends <= time.monotonic() + 120


def test_what_we_say_is_ours_short_and_said_once(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    minted(exchange)
    signed = [said_in(token) for token in identity.tokens() if "." in token][-4:]
    assert sorted(one["sub"] for one in signed) == ["agent:procurement", CLIENT, CLIENT, "priya"]
    for one in signed:
        assert (one["iss"], one["aud"], one["exp"] - one["iat"]) == (CLIENT, identity.issuer, 60)
    assert len({one["jti"] for one in signed}) == 4


def test_given_back_it_is_good_for_nothing_and_the_consent_stands(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    token = minted(exchange)
    exchange.give_back(token)
    assert identity.about(token.credential) == {"active": False}
    minted(exchange)


def test_one_that_is_given_back_takes_none_of_the_others_with_it(exchange: Exchange, identity: Identity) -> None:
    """Though this server revokes all tokens of a consent with one."""
    identity.grant("payments:write")
    first, second = minted(exchange), minted(exchange)
    exchange.give_back(first)
    assert exchange.holds(second)
    assert identity.about(second.credential)["active"]
    exchange.give_back(second)
    assert not exchange.holds(second)
    assert identity.live() == []


def test_one_holds_as_long_as_nobody_says_that_it_does_not(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    token = minted(exchange)
    identity.plan("down")
    assert exchange.holds(token)
    identity.control("clear")
    identity.withdraw()
    assert not exchange.holds(token)


def test_where_its_endpoints_are_is_asked_once(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    for _ in range(3):
        exchange.give_back(minted(exchange))
    assert identity.asked("/.well-known/oauth-authorization-server") == 1
    assert identity.asked("/token") == 3


def test_the_other_place_for_its_endpoints_will_do(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan("rubbish", path="/.well-known/oauth-authorization-server")
    minted(exchange)
    assert identity.asked("/.well-known/openid-configuration") == 1


# --------------------------------------------------------------------------------------------------------- the grant is gone


def test_without_a_consent_or_after_it_was_withdrawn_it_is_gone(exchange: Exchange, identity: Identity) -> None:
    assert gone(exchange) == WITHDRAWN
    identity.grant("payments:write")
    minted(exchange)
    identity.withdraw()
    assert gone(exchange) == WITHDRAWN
    assert identity.live() == []


def test_a_consent_of_another_person_or_for_another_client_is_none(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write", sub="marta")
    identity.grant("payments:write", client="payment-provider")
    assert gone(exchange) == WITHDRAWN


def test_a_consent_for_another_resource_is_none(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write", audience="https://books.example")
    assert "nothing is given for the tool's audience (invalid_target: " in gone(exchange)


@pytest.mark.parametrize(
    ("error", "said"),
    [("access_denied", "it is not allowed"), ("invalid_scope", "not all of the tool's scopes may be had")],
)
def test_other_answers_about_the_grant_say_that_it_is_gone_too(
    exchange: Exchange, identity: Identity, error: str, said: str
) -> None:
    identity.plan(
        "change", path="/token", status=400, **{"with": {"error": error, "error_description": "Not for you."}}
    )
    assert gone(exchange) == f"The identity server does not grant this: {said} ({error}: Not for you)."


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"audience": "https://books.example"}, "for another audience"),
        ({"sub": "marta"}, "in the name of somebody else"),
        ({"act": None}, "that does not name the agent as the one who acts"),
        ({"act": "agent:other"}, "that does not name the agent as the one who acts"),
        ({"scope": "payments:read"}, "without payments:write"),
        ({"scope": "payments:write admin payments:refund"}, "that can do more than was asked for (2 scopes too many)"),
        (
            {"expires_in": 3600},
            "that is good for 3600 seconds, and more than 300 are too many for one call",
        ),
    ],
)
def test_a_token_that_is_not_what_was_asked_for_is_not_used_and_given_back(
    exchange: Exchange, identity: Identity, odd: dict[str, Any], said: str
) -> None:
    identity.grant("payments:write")
    identity.plan("issue", **odd)
    before = len(identity.opaque())
    assert gone(exchange) == f"The identity server gave a token {said}."
    assert len(identity.opaque()) == before + 1
    assert identity.live() == []


@pytest.mark.parametrize(
    ("path", "odd", "said"),
    [
        ("/token", {"token_type": "N_A"}, "that is no bearer token"),
        ("/token", {"token_type": None}, "that is no bearer token"),
        ("/token", {"issued_token_type": "urn:ietf:params:oauth:token-type:refresh_token"}, "that is no access token"),
        ("/token", {"expires_in": None}, "without saying for how long it is good"),
        ("/token", {"expires_in": "120"}, "without saying for how long it is good"),
        ("/token", {"expires_in": True}, "without saying for how long it is good"),
        ("/token", {"expires_in": 0}, "without saying for how long it is good"),
        ("/token", {"scope": ""}, "without payments:write"),
        ("/token/introspection", {"active": False}, "that it says is good for nothing"),
        ("/token/introspection", {"active": "true"}, "that it says is good for nothing"),
        ("/token/introspection", {"aud": None}, "for another audience"),
        ("/token/introspection", {"aud": ["https://books.example"]}, "for another audience"),
        ("/token/introspection", {"sub": None}, "in the name of somebody else"),
        ("/token/introspection", {"act": "agent:procurement"}, "that does not name the agent as the one who acts"),
        ("/token/introspection", {"scope": None}, "without payments:write"),
        (
            "/token/introspection",
            {"scope": "payments:write admin"},
            "that can do more than was asked for (1 scope too many)",
        ),
    ],
)
def test_what_is_said_of_a_token_is_looked_at(
    exchange: Exchange, identity: Identity, path: str, odd: dict[str, Any], said: str
) -> None:
    identity.grant("payments:write")
    identity.plan("change", path=path, times=1, **{"with": odd})
    assert gone(exchange) == f"The identity server gave a token {said}."
    assert identity.live() == []


def test_a_token_for_several_audiences_is_for_each_of_them(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan(
        "change", path="/token/introspection", times=1, **{"with": {"aud": ["https://books.example", AUDIENCE]}}
    )
    minted(exchange)


def test_a_scope_that_is_not_said_with_the_token_is_the_one_that_was_asked_for(
    exchange: Exchange, identity: Identity
) -> None:
    identity.grant("payments:write")
    identity.plan("change", path="/token", times=1, drop=["scope"])
    minted(exchange)


# --------------------------------------------------------------------------------------------------------- nothing is known


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("down", "answered 503"),
        ("busy", "answered 429"),
        ("cut", "could not be reached (Server disconnected without sending a response)"),
        ("hang", "did not answer in time"),
        ("stall", "did not answer in time"),
    ],
)
def test_what_may_pass_is_tried_three_times_and_then_nothing_is_known(
    exchange: Exchange, identity: Identity, waited: list[float], kind: str, said: str
) -> None:
    identity.grant("payments:write")
    identity.plan(kind, path="/token")
    assert unreachable(exchange) == f"The identity server {identity.issuer} {said}."
    assert identity.asked() == 3
    assert waited == [0.25, 0.75]


def test_what_has_passed_by_the_third_try_is_no_matter(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan("down", path="/token", times=2)
    minted(exchange)
    assert identity.asked() == 3


def test_a_server_that_says_that_it_will_pass_is_asked_again(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan("change", path="/token", times=1, status=400, **{"with": {"error": "temporarily_unavailable"}})
    minted(exchange)
    assert identity.asked() == 2


@pytest.mark.parametrize("kind", ["hang", "stall", "drip"])
def test_all_tries_together_come_to_an_end_in_time(exchange: Exchange, identity: Identity, kind: str) -> None:
    identity.grant("payments:write")
    identity.plan(kind)
    began = time.monotonic()
    assert "did not answer in time" in unreachable(exchange)
    assert time.monotonic() - began < 3.5


def test_a_server_that_is_not_there_is_not_reached(identity: Identity, waited: list[float]) -> None:
    nowhere = IdentityServer("http://127.0.0.1:9", CLIENT, identity.key, wait=waited.append)
    came = Exchange(nowhere).mint(GRANT)
    assert came == Unreachable(
        "The identity server http://127.0.0.1:9 could not be reached ([Errno 111] Connection refused)."
    )
    assert waited == [0.25, 0.75]


@pytest.mark.parametrize("path", ["/.well-known", "/token", "/token/introspection"])
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("rubbish", "answered 200 with something that no identity server says"),
        ("redirect", "sent us elsewhere (302), where nobody is followed"),
    ],
)
def test_what_makes_no_sense_is_not_tried_again_and_nobody_is_followed(
    exchange: Exchange, identity: Identity, path: str, kind: str, said: str
) -> None:
    identity.grant("payments:write")
    identity.plan(kind, path=path)
    assert unreachable(exchange) == f"The identity server {identity.issuer} {said}."
    assert identity.asked("/token") <= 1
    assert identity.asked("/elsewhere") == 0
    identity.control("clear")
    assert identity.live() == []


@pytest.mark.parametrize(
    ("with_", "said"),
    [
        (
            {"issuer": "https://id.example"},
            "calls itself something else there. Set PLACET_OAUTH_ISSUER to exactly what",
        ),
        (
            {"token_endpoint": "http://id.example/token"},
            "names a token endpoint that cannot be used: it begins with http://",
        ),
        ({"token_endpoint": 7}, "names a token endpoint that cannot be used: it is no text"),
        ({"introspection_endpoint": None}, "says nowhere where its introspection endpoint is"),
    ],
)
def test_endpoints_that_secrets_cannot_be_sent_to_are_not_used(
    exchange: Exchange, identity: Identity, with_: dict[str, Any], said: str
) -> None:
    identity.grant("payments:write")
    identity.plan("change", path="/.well-known", **{"with": with_})
    assert said in unreachable(exchange)


def test_what_is_not_encrypted_goes_by_no_proxy(
    exchange: Exchange, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity.grant("payments:write")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    minted(exchange)


def test_a_client_that_it_does_not_know_is_told_what_to_check(identity: Identity) -> None:
    for us, key in (("nobody", identity.key), (CLIENT, ECKey.generate_key("P-256"))):
        came = Exchange(IdentityServer(identity.issuer, us, key)).mint(GRANT)
        assert isinstance(came, Unreachable)
        assert (
            ": invalid_client: client authentication failed. Check PLACET_OAUTH_CLIENT_ID, PLACET_OAUTH_KEY_FILE"
            in came.why
        )


def test_a_server_that_stopped_making_sense_is_looked_for_anew(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan("rubbish", path="/token", times=1)
    unreachable(exchange)
    minted(exchange)
    assert identity.asked("/.well-known/oauth-authorization-server") == 2


def test_a_token_that_cannot_be_looked_at_is_not_used(exchange: Exchange, identity: Identity) -> None:
    identity.grant("payments:write")
    identity.plan("down", path="/token/introspection")
    assert unreachable(exchange).endswith("answered 503.")
    identity.control("clear")
    assert identity.live() == []


def test_giving_back_to_a_server_that_is_away_takes_no_time_and_raises_nothing(
    exchange: Exchange, identity: Identity
) -> None:
    identity.grant("payments:write")
    for kind in ("down", "hang", "redirect"):
        token = minted(exchange)
        identity.plan(kind)
        began = time.monotonic()
        exchange.give_back(token)
        assert time.monotonic() - began < 1
        identity.control("clear")
    assert len(identity.live()) == 3


# ------------------------------------------------------------------------------------------------------ nobody is told them


def test_no_token_is_in_what_is_printed_said_or_logged(
    exchange: Exchange, identity: Identity, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    identity.grant("payments:write")
    token = minted(exchange)
    said = Said({"access_token": token.credential})
    heard = [repr(token), str(token), repr(said), repr(exchange), str(vars(exchange._server)), repr(GRANT)]
    for kind in ("down", "cut", "redirect", "rubbish"):
        identity.plan(kind, path="/token", times=3)
        heard.append(repr(exchange.mint(GRANT)))
        identity.control("clear")
    exchange.give_back(token)
    everything = "\n".join([*heard, caplog.text])
    assert "HTTP" in everything  # the libraries were listened to, too
    found = [one for one in identity.tokens() if one in everything]
    assert found == []
    assert str(identity.key.as_dict(private=True)["d"]) not in everything


def test_what_a_server_says_back_is_shown_without_anything_that_may_be_a_token(
    exchange: Exchange, identity: Identity
) -> None:
    secret = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJwcml5YSJ9.c2lnbmF0dXJl"
    words = f"the\0token {secret}\nis not {'x ' * 300}"
    identity.plan(
        "change", path="/token", status=400, **{"with": {"error": "invalid_grant", "error_description": words}}
    )
    said = gone(exchange)
    assert "(invalid_grant: the\ufffdtoken … is not x x" in said
    assert secret not in said
    assert len(said) < 350
    identity.control("clear")
    identity.plan("change", path="/token", status=400, **{"with": {"error": secret}})
    assert unreachable(exchange).endswith("answered 400 without saying why.")
