"""How a command takes its words: what may be said once, what comes from a file, and the two pages of help."""

import inspect
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from podium.cli.options.reading import option
from podium.cli.output.errors import did_you_mean, sentences
from podium.cli.output.outputs import PRINT, Outputs
from podium.cli.output.screen import console

MAY_BE_EMPTY = ("consent",)  # there is no text that judges must agree to
FILES = ("options", "items", "candidates")  # options that name files to read
SUMMARIES = (".csv", ".json", ".parquet", ".md", ".tex", ".txt")  # the endings of the files of --summary


def _own(
    options: Annotated[
        Path | None, option("Take options from a TOML file: left = 'white'.", metavar="FILE")
    ] = None,
    save_options: Annotated[
        Path | None, option("Save the options of this call: .toml.", metavar="FILE")
    ] = None,
    help_all: Annotated[bool, option("Show all options and exit.", "--help-all")] = False,
) -> None:
    """The options on which `Command` acts itself."""


OWN = inspect.signature(_own).parameters


def with_files(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options on which `Command` acts to those of a command, which does not get their values."""
    signature = inspect.signature(command)
    named = [p.replace(kind=p.KEYWORD_ONLY) for p in [*signature.parameters.values(), *OWN.values()]]

    @wraps(command)
    def run(**values: Any) -> None:
        command(**{name: value for name, value in values.items() if name not in OWN})

    run.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in named}
    return run


class Command(TyperCommand):
    """A command whose ``--help`` shows what most need, and that takes options from a file as well.

    Its text there ends with the paragraph that names --help-all.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.options: list[Any] = [one for one in self.params if one.param_type_name == "option"]
        self.long_help = self.help or ""
        begin, mark, rest = self.long_help.partition("--help-all")
        self.help = begin + mark + rest.partition("\n\n")[0]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The command line, after what the file of ``--options`` says and the command line does not."""
        args = with_value(args, "--summary", SUMMARIES)
        said, order = self._said(ctx, args)
        if said.get("help_all"):
            self._show_all(ctx)
        if "help" not in said:
            if path := said.get("options"):
                with sentences():
                    args = [*_words_of(path, self._keys(), order, ctx.command_path), *args]
            self._check(ctx, *self._said(ctx, args))
        return super().parse_args(ctx, args)

    def _said(self, ctx: Any, args: list[str]) -> tuple[dict[str, Any], list[Any]]:
        """The values as they are spelled, and each parameter as often as it is given."""
        said, _, order = self.make_parser(ctx).parse_args(args=list(args))
        return said, order

    def _show_all(self, ctx: Any) -> None:
        """The page of help with all options."""
        shown = copy(self)
        shown.params = [copy(one) for one in self.params]
        for one in shown.params:
            one.hidden = False  # type: ignore[attr-defined]
        shown.help = self.long_help
        typer.echo(shown.get_help(ctx))
        ctx.exit()

    def _keys(self) -> dict[str, Any]:
        """The options that a file may have, by their keys."""
        return {name.lstrip("-"): one for one in self.options if one.name not in OWN for name in one.opts}

    def _check(self, ctx: Any, said: dict[str, Any], order: list[Any]) -> None:
        """Refuse an option that is given twice, if it takes one value, and one that is given without text."""
        for one, times in Counter(order).items():
            if one not in self.options:
                continue
            takes_many = one.multiple or (one.is_flag and not one.secondary_opts)
            if times > 1 and not takes_many:
                often = "twice" if times == 2 else f"{times} times"
                commas = ", with commas between the names" if one.metavar in ("NAMES", "COLUMNS") else ""
                ctx.fail(f"{one.opts[0]} is given {often}; give it once{commas}")
            value = said[one.name]
            if "" in (value if one.multiple else [value]) and one.name not in MAY_BE_EMPTY:
                ctx.fail(f"{one.opts[0]} is empty; give it a value or leave it out")

    def invoke(self, ctx: Any) -> Any:
        """Run the command, then write the file of ``--save-options``."""
        if (target := ctx.params.get("save_options")) is None:
            return super().invoke(ctx)
        from podium.writing.atomic import write_whole

        with sentences():
            outputs = Outputs(self._read(ctx), options=target)
        done = super().invoke(ctx)
        with sentences():
            outputs.add("options", partial(write_whole, content=as_toml(self._given(ctx)).encode()))
            outputs.write(console(stderr=True))
        return done

    def _read(self, ctx: Any) -> list[Any]:
        """The files that are read; those that are written have other endings than the file of options."""
        values = [ctx.params[one.name] for one in self.params if one.name in FILES or one not in self.options]
        return [path for value in values for path in (value if isinstance(value, list | tuple) else [value])]

    def _given(self, ctx: Any) -> list[tuple[str, Any]]:
        """The options that are given on the command line or in a file, by their keys, and their values."""
        source = ctx.get_parameter_source
        given = {key: one.name for key, one in self._keys().items() if source(one.name).name == "COMMANDLINE"}
        return [(key, ctx.params[name]) for key, name in given.items()]


def with_value(args: list[str], option: str, endings: Collection[str]) -> list[str]:
    """Add the value ``-`` to an option unless a file with one of these endings follows.

    Typer has no options whose value may be left out. The first file of a command is read, so it is never
    taken for the value.

    >>> with_value(["games.csv", "--summary", "table.tex"], "--summary", [".tex", ".csv"])
    ['games.csv', '--summary', 'table.tex']
    >>> with_value(["--summary", "games.csv"], "--summary", [".tex", ".csv"])
    ['--summary', '-', 'games.csv']
    """
    if option not in args:
        return args
    place = args.index(option) + 1
    follows = args[place] if place < len(args) else ""
    is_value = follows == PRINT or Path(follows).suffix.lower() in endings
    named_before = any(not arg.startswith("-") for arg in args[:place])
    return args if is_value and named_before else [*args[:place], PRINT, *args[place:]]


# ------------------------------------------------------------------------------------ options in a file


def _words_of(path: str, options: Mapping[str, Any], said: Collection[Any], command: str) -> list[str]:
    """What the file says as words of a command line, without the options that are ``said`` there.

    ``options`` has the options that ``command`` takes, by their keys.
    """
    words: list[str] = []
    for key, value in _content(path).items():
        if key not in options:
            hint = did_you_mean(key, options)
            raise ValueError(f"'{path}' has the key '{key}', which is no option of '{command}'{hint}")
        if options[key] not in said:
            words += _words(path, key, options[key], value)
    return words


def _content(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"'{path}' is not TOML: {error}") from None


def _words(path: str, key: str, option: Any, value: Any) -> list[str]:
    """An option and its value; with a list of values the option is repeated."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise ValueError(f"'{path}': '{key}' is true or false, not {value!r}")
        flags: list[str] = option.opts if value else option.secondary_opts
        return flags[:1]
    values = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool | list | dict):
            raise ValueError(f"'{path}': '{key}' takes text or a number, not {value!r}")
    return [word for one in values for word in (option.opts[0], str(one))]


def as_toml(values: Iterable[tuple[str, Any]]) -> str:
    """The file with these keys and values.

    >>> print(as_toml([("left", ["home", "guest"]), ("level", 0.9), ("judges", True)]), end="")
    left = ["home", "guest"]
    level = 0.9
    judges = true
    """
    return "".join(f"{key} = {_text(value)}\n" for key, value in values)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
