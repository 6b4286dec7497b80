"""How the replicas of one gateway ask a Slurm once between them."""
