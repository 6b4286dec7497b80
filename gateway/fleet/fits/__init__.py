"""Where cards or slices would fit now, and what would have to change where they do not."""
