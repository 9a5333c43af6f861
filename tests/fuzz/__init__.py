"""Fuzzing of all verifiers with what models write and attackers try: no response may buy a null.

``python -m tests.fuzz`` runs it for long (``make fuzz``); :mod:`tests.fuzz.test_fuzz` is its short form.
"""
