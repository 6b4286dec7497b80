"""GraphiQL from the gateway's own files: no request of the page leaves the machine."""

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

_INSTALLED = {
    "graphiql.min.js": "node_modules/graphiql/graphiql.min.js",
    "graphiql.min.css": "node_modules/graphiql/graphiql.min.css",
    "react.production.min.js": "node_modules/react/umd/react.production.min.js",
    "react-dom.production.min.js": "node_modules/react-dom/umd/react-dom.production.min.js",
}
_FILES = {"start.js": "start.js", "start.css": "start.css", "icon.svg": "icon.svg", **_INSTALLED}

# GraphiQL 4 writes style elements and carries its fonts as data; nothing else is let through.
_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
_POLICY = "; ".join(f"{directive} {sources}" for directive, sources in _SOURCES.items())
_HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}

_MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>gpu-gateway</title>
<h1>GraphiQL is not installed here</h1>
<p>Run <code>make web</code> in the project's folder and load this page again.</p>
<p>GraphQL itself answers at /graphql; <a href="/readyz">/readyz</a> tells of each source.</p>
</html>
"""


class Pages:
    """The page, and exactly the files that it names."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def index(self, _: Request) -> Response:
        """GraphiQL, or how to install it."""
        needed = ["index.html", *_FILES.values()]
        if all((self._root / name).is_file() for name in needed):
            return FileResponse(self._root / "index.html", headers=_HEADERS)
        return HTMLResponse(_MISSING, 503, _HEADERS)

    async def file(self, request: Request) -> Response:
        """One file of the list."""
        path = self._root / _FILES.get(request.path_params["name"], "-")
        if not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, headers=_HEADERS)
