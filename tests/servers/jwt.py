"""Tokens for Slurm's auth/jwt, expired ones too, which no command of Slurm mints."""

import base64
import hashlib
import hmac
import json

YEAR_2100 = 4_102_444_800


def mint(key: bytes, user: str, *, expires: int = YEAR_2100) -> str:
    """A token signed with the key by which Slurm lets a user in; `expires` is in seconds since 1970."""
    text = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part({'iat': 0, 'exp': expires, 'sun': user})}"
    return f"{text}.{_base64(hmac.digest(key, text.encode(), hashlib.sha256))}"


def _part(content: object) -> str:
    return _base64(json.dumps(content, separators=(",", ":")).encode())


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
