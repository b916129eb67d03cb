"""Graphs inside Ops: the steps of loops, and Ops made from graphs."""
