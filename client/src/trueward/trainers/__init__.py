"""What a trainer imports: one short module for each, none of which imports its trainer."""
