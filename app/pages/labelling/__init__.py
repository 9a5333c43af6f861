"""The labelling queue: draws, and their items one at a time, blind until they are labelled."""
