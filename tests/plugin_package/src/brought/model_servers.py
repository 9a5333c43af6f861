"""A protocol of model servers: Ollama's own chat, for judges that let a model write."""

from pydantic import JsonValue

from trueward.wire.model import ModelEntry
from trueward_server.authoring import (
    Answer,
    Generate,
    ModelServer,
    Prompt,
    Question,
    Turn,
    Unaskable,
    field,
    messages_of,
    served_name,
    text,
    whole,
)


class Ollama:
    async def ask(self, server: ModelServer, entry: ModelEntry, question: Question) -> Answer:
        if not isinstance(question, Generate):
            raise Unaskable("an ollama server writes: it can be asked nothing else")
        turns = (Turn("user", question.prompt),) if isinstance(question.prompt, str) else question.prompt
        drawn: dict[str, JsonValue] = {"num_predict": question.max_tokens, "temperature": question.temperature}
        body: dict[str, JsonValue] = {
            "model": served_name(entry),
            "messages": [*messages_of(turns)],
            "stream": False,
            "options": drawn,
        }
        said = await server.post("/api/chat", body)
        return Answer(
            text=text(field(said, "message", "content")),
            tokens=whole(field(said, "prompt_eval_count")),
            written=whole(field(said, "eval_count")),
            finish="length" if field(said, "done_reason") == "length" else "stop",
        )

    async def count(self, server: ModelServer, entry: ModelEntry, prompt: Prompt) -> int:
        raise Unaskable("an ollama server counts no tokens of what it is not asked")

    async def ready(self, server: ModelServer, entry: ModelEntry) -> None:
        await server.get("/api/tags")
