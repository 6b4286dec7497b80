"""Why a pod waits: a module for each check, what they come to, and the least that would have to change."""
