"""Effects that papers report of reinforcement learning from verdicts, looked for through the service.

One file an effect. Tiny policies (``toy``) are trained by the bundled trainer on rewards of a live service (``arms``);
seeds are compared in pairs (``paired``) by a criterion that was fixed before (``effect``). docs/science.md says how.
"""
