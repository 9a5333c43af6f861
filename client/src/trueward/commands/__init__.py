"""The commands of ``trueward``, one file each. What is heavy is imported where it is used."""
