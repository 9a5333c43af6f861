"""How answers are written: texts in one spelling, and what stands in them. No equality is decided here."""
