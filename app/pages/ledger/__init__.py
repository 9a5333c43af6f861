"""The ledger's explorer: records by any filter, and one sample with all that was said of it."""
