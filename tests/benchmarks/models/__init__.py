"""Models and losses as people write them, with inputs at which they are right or not.

``python -m tests.benchmarks.models [value slopes products] [--only NAME]`` counts.
"""
