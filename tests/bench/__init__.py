"""What Placet costs, measured: `python -m tests.bench`. Never part of the tests: nothing here passes or fails.

Every figure is a ratio taken in one run, the median of three rounds, each beside the bare statement or the smaller case it is compared with.
Counts that do not depend on the machine are in cost.py, and are tests too (tests/engine/test_costs.py).
"""
