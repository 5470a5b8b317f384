"""Run the snippets of records in a sandbox and write down what happened."""
