"""Judges that compare: a response with others (``compare``), and the members of a group with each other
(``tournament``)."""
