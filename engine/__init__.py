"""How an algorithm runs: scalars, compilation, the object-code cache, batches. Knows no physics."""
