"""Read the source of packages and write records of the errors that they can raise, without importing or running it.

`mine` is the command. `targets` finds the files; `scopes` and `imports` parse them and resolve names. `raises` yields
the messages of a module, with `exception_messages`, `caught`, `message_calls` and `rewritten`; `fragments` yields other
prose, `native` the texts of compiled modules. `templates`, `message_template` and `format_strings` read how a message
is made; `to_record` makes a record of it.
May import: the modules at the top level of whyraise.
"""
