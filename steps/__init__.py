"""The sentences of the features: one function each, one call long, no logic.

What a sentence means is in `fixtures.machines`; which budget it gets, too.
"""
