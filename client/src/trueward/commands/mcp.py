"""``trueward mcp``: a service's verdicts, explanations and audits as tools of assistants."""

from __future__ import annotations

from importlib.util import find_spec

from trueward.commands.service import Url, connect
from trueward.errors import NotInstalled


def mcp(url: Url = None) -> None:
    """Speak the Model Context Protocol on stdin and stdout, for assistants that start it: verify, explain, audit."""
    if find_spec("mcp") is None:
        raise NotInstalled("a server of the Model Context Protocol needs mcp: pip install 'trueward[mcp]'")
    from trueward.mcp import make_server

    with connect(url) as client:
        make_server(client).run()
