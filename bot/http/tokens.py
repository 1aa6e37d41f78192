"""Who may call the HTTP API: whoever sends the bearer token. It may launch, stop and read; it decides nothing."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

_scheme = HTTPBearer(auto_error=False, description="The token in PLACET_API_TOKEN.")


def bearer(token: str) -> Callable[..., None]:
    """A dependency that lets a request through if it carries this token, and answers 401 to every other. Takes the same time for all."""
    expected = hashlib.sha256(token.encode()).digest()

    def check(given: Annotated[HTTPAuthorizationCredentials | None, Depends(_scheme)]) -> None:
        sent = hashlib.sha256((given.credentials if given else "").encode()).digest()
        if not hmac.compare_digest(sent, expected) or given is None:
            raise HTTPException(
                401,
                "Send the header Authorization: Bearer with the API token (PLACET_API_TOKEN).",
                headers={"WWW-Authenticate": "Bearer"},
            )

    return check
