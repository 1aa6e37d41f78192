"""In front of the payment provider: it lets through only what bears an access token that is for it, which it asks the identity server about."""

from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.oauth.identity import AUDIENCE, Identity


@dataclass(kw_only=True)
class Guarded:
    """What was said about each token that came, in order; `app` is the provider behind; `refuses`: whatever bears whichever token."""

    identity: Identity
    app: ASGIApp | None = None
    told: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    refuses: bool = False

    def before(self, app: ASGIApp) -> ASGIApp:
        """Stand in front of this provider."""
        self.app = app
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        headers = MutableHeaders(scope=scope)
        token = headers.get("authorization", "").removeprefix("Bearer ")
        said = await run_in_threadpool(self.identity.about, token)
        self.told.append(said)
        self.tokens.append(token)
        if not self.refuses and said["active"] and said["aud"] == AUDIENCE and said["scope"] == "payments:write":
            headers["authorization"] = "Bearer sk_test_placet"  # behind this door it is a provider's own key, as ever
            await self.app(scope, receive, send)
            return
        error = {
            "error": {
                "type": "invalid_request_error",
                "message": f"The token {token} is not for this.",
                "code": "token",
            }
        }
        await JSONResponse(error, status_code=401)(scope, receive, send)
