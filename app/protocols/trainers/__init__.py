"""Reward protocols of trainers, in front of the one path."""
