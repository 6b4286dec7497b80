"""Fields that take an argument or cross to another record, answered from one pinned fleet."""
