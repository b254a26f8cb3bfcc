"""From a description of a robot to a Model, nothing else."""
