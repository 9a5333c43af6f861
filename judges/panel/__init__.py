"""Several judges on one response, and what becomes of it where they disagree."""

from judges.panel.verifier import PanelVerifier

__all__ = ["PanelVerifier"]
