"""Agents to learn from; placet demo runs them."""
