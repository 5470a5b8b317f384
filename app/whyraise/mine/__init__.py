"""Turn the source of packages into records of the errors that it can raise; nothing of it is imported or run."""
