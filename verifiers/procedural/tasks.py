"""Which data sets of reasoning-gym 0.1.25 are judged, and why the others are not.

A scorer is judged with only where nothing that the policy or the caller wrote is ever run: no ``eval``, no SymPy
parser (which evaluates), no unpickling, no import, no file. A test walks the library's source for that.
"""

from __future__ import annotations

_EVALUATES = "its scorer evaluates the answer as Python"
_PARSES = "its scorer gives the answer to SymPy's parser, which evaluates it as Python"
_EVALUATES_ENTRY = "its scorer evaluates a text of the entry as Python"

REFUSED: dict[str, str] = {
    "binary_matrix": _EVALUATES,
    "bitwise_arithmetic": _EVALUATES_ENTRY,
    "complex_arithmetic": "its scorer takes 'nan' as right",
    "composite": "it stands for other data sets: name the one that the entry is of",
    "countdown": _PARSES,
    "game_of_life_halting": "its scorer takes any answer as right",
    "intermediate_integration": _PARSES,
    "n_queens": _EVALUATES,
    "number_sorting": _EVALUATES_ENTRY,
    "polynomial_multiplication": _PARSES,
    "puzzle24": _PARSES,
    "simple_integration": _PARSES,
    "spiral_matrix": _EVALUATES,
    "string_insertion": _EVALUATES,
}

ALLOWED: frozenset[str] = frozenset((
    "ab", "acre", "advanced_geometry", "aiw", "arc_1d", "arc_agi", "base_conversion", "basic_arithmetic", "bf",
    "binary_alternation", "boxnet", "caesar_cipher", "calendar_arithmetic", "chain_sum", "circuit_logic", "codeio",
    "coin_flip", "color_cube_rotation", "count_bits", "count_primes", "course_schedule", "cryptarithm",
    "decimal_arithmetic", "decimal_chain_sum", "dice", "emoji_mystery", "family_relationships", "figlet_font",
    "fraction_simplification", "futoshiki", "game_of_life", "gcd", "graph_color", "group_anagrams", "gsm_symbolic",
    "isomorphic_strings", "jugs", "kakurasu", "knight_swap", "knights_knaves", "largest_island", "lcm",
    "leg_counting", "letter_counting", "letter_jumble", "list_functions", "mahjong_puzzle", "manipulate_matrix",
    "maze", "mini_sudoku", "modulo_grid", "needle_haystack", "number_filtering", "number_format", "number_sequence",
    "palindrome_generation", "palindrome_partitioning", "path_star", "polynomial_equations", "pool_matrix",
    "power_function", "prime_factorization", "products", "propositional_logic", "quantum_lock", "ransom_note",
    "rearc", "rectangle_count", "rotate_matrix", "rotten_oranges", "rubiks_cube", "rush_hour", "self_reference",
    "sentence_reordering", "shortest_path", "simple_equations", "simple_geometry", "sokoban", "spell_backward",
    "string_manipulation", "string_splitting", "string_synthesis", "sudoku", "survo", "syllogism", "time_intervals",
    "tower_of_hanoi", "tsumego", "word_ladder", "word_sequence_reversal", "word_sorting", "zebra_puzzles",
))  # fmt: skip
