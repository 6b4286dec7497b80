"""Slurm, as slurmrestd tells of it: nodes and jobs in one shape whichever version answers."""
