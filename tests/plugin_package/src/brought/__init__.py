"""One thing of each kind that plug-ins may bring beside verifiers. The documentation shows these files."""
