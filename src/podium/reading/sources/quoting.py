"""Names and text as SQL writes them."""


def in_quotes(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def in_single_quotes(text: str) -> str:
    """Text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
