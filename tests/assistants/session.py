"""What the official client of the Model Context Protocol gets from ``trueward mcp``: one line of JSON.

Arguments: the command, the URL of the service, and the tools to call as JSON. It runs in an environment of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters


async def main(command: str, url: str, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    variables = {"TRUEWARD_API_KEY": os.environ["TRUEWARD_API_KEY"], "PATH": os.environ["PATH"]}
    server = StdioServerParameters(command=command, args=["mcp", "--url", url], env=variables)
    async with Client(server) as client:
        listed = await client.list_tools()
        answers = [await client.call_tool(name, asked) for name, asked in calls]
        return {
            "tools": {tool.name: sorted(tool.input_schema["properties"]) for tool in listed.tools},
            "answers": [
                {
                    "error": bool(answer.is_error),
                    "told": answer.structured_content or [part.text for part in answer.content],
                }
                for answer in answers
            ],
        }


if __name__ == "__main__":
    command, url, calls = sys.argv[1:]
    print(json.dumps(asyncio.run(main(command, url, json.loads(calls)))))
