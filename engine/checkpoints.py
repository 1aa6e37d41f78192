"""Checkpoints: where every run's record stands, signed with a key that the database never holds and written where it cannot reach.

Each holds the heads that moved since the one before, the count of runs, and the hash of the one before, so that neither a run nor a
checkpoint can vanish unseen. The one rule: what was signed once is never signed otherwise; a record that went back is an alarm.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from engine import verifier
from engine.errors import BadInput
from engine.state.events import Head

_ONLY_OURS: Final = 0o600


def keygen(path: Path) -> Path:
    """A new key for signing, at `path`; back comes where its public half is. Raises BadInput rather than overwrite anything."""
    key, public = Ed25519PrivateKey.generate(), path.with_name(f"{path.name}.pub")
    _create(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    _create(public, _public(key))
    return public


def read_key(path: Path) -> Ed25519PrivateKey:
    """The key in a file. Raises BadInput."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise BadInput(
            str(path), f"it cannot be read ({error.strerror}). Make one: placet audit keygen {path}"
        ) from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInput(str(path), "it is no key that placet audit keygen made.")
    return key


def write(folder: Path, key: Ed25519PrivateKey, heads: Sequence[Head]) -> Path:
    """Sign where the record stands, as the next file of the folder, which is made if need be.

    Raises BadInput for what is no folder, and verifier.Altered if an earlier checkpoint does not hold, or if the record went back behind one.
    """
    before = _before(folder, key)
    known = {run_id: (seq, head) for one in before for run_id, seq, head in one.heads}
    now = {str(one.run_id): (one.seq, one.head) for one in heads}
    for run_id, (seq, head) in known.items():
        if run_id not in now:
            raise verifier.Altered(
                f"Run {run_id} is gone, and an earlier checkpoint has {seq} moves of it. Nothing was signed."
            )
        if now[run_id][0] < seq or (now[run_id][0] == seq and now[run_id][1] != head):
            raise verifier.Altered(
                f"Run {run_id} is not what an earlier checkpoint has of it at move {seq}. Nothing was signed."
            )
    n, previous = len(before) + 1, before[-1].body if before else None
    body = json.dumps({
        "format": verifier.CHECKPOINT, "n": n, "at": datetime.now(UTC).isoformat(),
        "previous": hashlib.sha256(previous.encode()).hexdigest() if previous else verifier.GENESIS,
        "runs": len(now), "heads": [[run_id, *stands] for run_id, stands in now.items() if known.get(run_id) != stands],
    })  # fmt: skip
    signature = key.sign(verifier.signed_bytes(body)).hex()
    path = folder / f"checkpoint-{n:06d}.json"
    _create(path, json.dumps({"body": body, "signature": signature}).encode(), mode=0o644)
    return path


def _before(folder: Path, key: Ed25519PrivateKey) -> list[verifier.Checkpoint]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadInput(str(folder), "it is a file. Name a folder, which is made if need be.") from None
    except OSError as error:
        raise BadInput(
            str(folder), f"it cannot be used as a folder ({error.strerror}). Name one that can be made, or is there."
        ) from None
    try:
        return verifier.read_checkpoints(folder, _public(key))
    except OSError as error:
        raise BadInput(
            str(error.filename),
            f"it cannot be read ({error.strerror}). It must be: each checkpoint follows from the last.",
        ) from None


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _create(path: Path, data: bytes, mode: int = _ONLY_OURS) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise BadInput(str(path), "it is there already, and is not overwritten. Name another file.") from None
    except OSError as error:
        raise BadInput(str(path), f"it cannot be written ({error.strerror}).") from None
