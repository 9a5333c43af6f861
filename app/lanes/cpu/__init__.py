"""The cpu lane: killable worker processes. ``pool`` is its face; see there for what it promises."""
