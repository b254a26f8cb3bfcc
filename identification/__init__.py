"""A robot's parameters from measured motion and torque."""
