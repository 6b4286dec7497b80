"""The measured claims of the gateway, each made again by one command."""
