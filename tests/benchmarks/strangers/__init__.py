"""Relations that nobody has fitted the engine to, in the spellings that a stranger would try.

Run ``python -m tests.benchmarks.strangers``: how many of the spellings fire, which are wrong,
raise, or stay silent without a reason, with a relation alone and beside the whole library.
"""
