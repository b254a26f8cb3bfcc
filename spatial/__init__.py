"""6D motion and force vectors, transforms and inertias. Knows NumPy, knows no robot."""
