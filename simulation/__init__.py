"""Integrators, controllers, trajectories and plots."""
