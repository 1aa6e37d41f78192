"""Secrets that came where none belongs: known by their shape, and hidden from whoever reads.

What an author declared secret is hidden before, in engine.rules.secrecy, and looks the same.
The one rule: what it is stays to be seen, and that it was hidden; only the secret itself is not shown. What is stored and done is untouched.
Sources for the shapes: each vendor's page on its keys; the JWT of RFC 7519; the armour of RFC 7468.
"""

import re
from typing import Final

from engine.rules.secrecy import HIDDEN

_SHAPES: Final = re.compile(
    r"""
      (?P<kept>  xox[abeprs]-  |  xapp-                                # Slack
      |  sk-ant-  |  sk-(?:proj-)?(?=[A-Za-z0-9]{20})                  # models
      |  [sr]k_(?:live|test)_  |  whsec_  |  pi_\w{10,40}_secret_      # Stripe
      |  gh[pousr]_  |  github_pat_  |  glpat-  |  npm_(?=\w{30})  |  hf_(?=\w{30})  |  pypi-(?=\w{30})
      |  AKIA(?=[0-9A-Z]{16}\b)  |  AIza(?=[\w-]{35})                  # clouds
      |  eyJ(?=[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})                     # a JWT
      |  [Bb]earer\s(?=[\w.~+/-]{20})
      )  [\w.~+/=-]{8,}
    |  (?P<key>-----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----) .{1,10000}? -----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----
    """,
    re.VERBOSE | re.DOTALL,
)


def without_secrets(text: str) -> str:
    """The text with each secret in it hidden; the same text if there is none."""
    return _SHAPES.sub(lambda found: f"{found['kept'] or found['key']}{HIDDEN}", text)
