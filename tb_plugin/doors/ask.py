"""A question as a command: `tb-plugin operators PATH --group-by module`. Its Params are the options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin.answers import bodies, here, notes
from tb_plugin.answers.bounded import json_of
from tb_plugin.answers.its_job import ItsJob, its_job
from tb_plugin.base import child_process
from tb_plugin.doors import ranks, terminal
from tb_plugin.doors.reading import Reading, limits
from tb_plugin.doors.without_effect import without_effect
from tb_plugin.question.joint import Joint
from tb_plugin.question.question import Question, choices_of
from tb_plugin.trace.check import check

if TYPE_CHECKING:
    import argparse

    from tb_plugin.answers.questions import AnyQuestion


def add_parser(parser: argparse.ArgumentParser, question: AnyQuestion) -> None:
    """The options of the question: its Params."""
    parser.description = question.title
    is_of_many = isinstance(question, Joint)
    where = ("LOGDIR", "a log directory") if is_of_many else ("PATH", "a profile, or a log directory")
    parser.add_argument("path", metavar=where[0], help=where[1])
    forms = question.forms if isinstance(question, Joint) else ()
    parser.epilog = question.exit_codes if isinstance(question, Joint) else None
    parser.add_argument("--format", choices=("text", "json", "csv", *forms), default="text", help="default text")
    if not is_of_many:
        terminal.add_profile_options(parser)
        parser.add_argument("--check", action="store_true", help="verify the profile's inner order first")
        terminal.add_no_limits(parser)
    hints = get_type_hints(question.params, include_extras=True)
    for field in msgspec.structs.fields(question.params):
        hint, *meta = get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else (hints[field.name],)
        choices = choices_of(hint)
        described = next((each.description for each in meta if isinstance(each, msgspec.Meta) and each.description), None)
        option, target = f"--{field.name.replace('_', '-')}", f"param_{field.name}"
        if hint is bool:
            parser.add_argument(option, dest=target, action="store_const", const="true", help=described)
            continue
        extra = {key: value for each in meta if isinstance(each, msgspec.Meta) for key, value in (each.extra or {}).items()}
        if "place" in extra:  # it stands behind the path, without an option's name
            parser.add_argument(target, metavar=extra["place"], nargs="?", help=described)
            continue
        is_lines = extra.get("lines", False)
        default = "needed" if field.required else "by default left out" if field.default is None else f"default {field.default}"
        parser.add_argument(
            option,
            dest=target,
            action="append" if is_lines else "store",
            choices=choices or None,
            metavar=None if choices else "NUMBER" if int in (hint, *get_args(hint)) else "TEXT",
            required=field.required,
            help=(described or default).replace("%", "%%"),  # argparse reads % as a format
        )
    if question.id == ranks.COMMAND:
        ranks.add_options(parser)
    parser.set_defaults(command=lambda options: _ask(question, options))


def _ask(question: AnyQuestion, options: argparse.Namespace) -> int:
    given = {name: getattr(options, f"param_{name}") for name in question.params.__struct_fields__}
    texts = {name: "\n".join(value) if isinstance(value, list) else value for name, value in given.items()}
    said = {name: value for name, value in texts.items() if value is not None}
    other = ranks.instead(options, said) if question.id == ranks.COMMAND else None
    question, params = other or (question, question.params_from(said))
    for sentence in () if other else without_effect(question.id, options.format, said):
        terminal.say(sentence)
    if isinstance(question, Joint):
        with terminal.Progress() as progress:
            joined = here.ask_many(question, options.path, params, on_progress=progress, say=terminal.say)
        if options.format in question.forms:
            sys.stdout.write(question.forms[options.format](joined) + "\n")
        else:
            _show(question, joined, options.format)
        for sentence in question.verdict(joined):
            terminal.say(sentence)
        return question.exit_code(joined)
    reading = Reading(options.no_limits)
    with terminal.Progress() as progress:
        which = (getattr(options, name) for name in terminal.WHICH)
        trace = here.open_profile(options.path, *which, on_progress=progress, say=terminal.say, read=reading.read)
    if options.check:
        check(trace)
    missing = question.missing(trace)
    for sentence in (missing,) if missing is not None else reading.notes:
        terminal.say(sentence)
    with limits(None if options.no_limits else child_process.most_for_answer(len(trace.events))):
        its = ItsJob()
        if question.with_job is not None and missing is None and trace.info.world_size != 1:
            its = its_job(reading.path, options.path)
        reply = (question if its.told is None else question.knowing(its.told)).answer(trace, params)
        for note in (*(notes.on_filters(trace, params, reply) if missing is None else ()), *its.notes):
            terminal.say(note)
        _show(question, reply, options.format)
    return question.exit_code(reply)


def _show(question: AnyQuestion, reply: object, form: str) -> None:
    if form == "json":
        is_raw = isinstance(question, Question) and question.encode is not None
        encoded = json_of(_rows(question, reply) if is_raw else reply)
        sys.stdout.write(msgspec.json.format(encoded, indent=2).decode() + "\n")
    elif form == "csv":
        sys.stdout.write(bodies.csv_text(question.table(reply)))
    else:
        sys.stdout.write(question.text(reply).rstrip("\n") + "\n")


def _rows(question: AnyQuestion, reply: object) -> list[dict[str, object]]:
    """What is sent as raw columns, for people: an object a row."""
    table = question.table(reply)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]
