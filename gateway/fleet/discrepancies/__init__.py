"""Where systems disagree: each kind of alert is one pure rule, from the fleet to what it finds."""
