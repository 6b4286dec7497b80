"""What could be changed where a node does not do: a module for each kind of refusal."""
