"""How a judge asks: material in fences, a prompt of turns, a reply that is read with care, and what it cost."""

from judges.asking.ask import Said, Sampling, ask
from judges.asking.fence import Material
from judges.asking.reply import Form, Unreadable
from judges.asking.usage import Usage

__all__ = ["Form", "Material", "Said", "Sampling", "Unreadable", "Usage", "ask"]
