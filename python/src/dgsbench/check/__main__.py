"""Checks a model: python -m dgsbench.check MODULE, or -- COMMAND for one in any language."""

from __future__ import annotations

import argparse
import json
import sys

from .process import ErrorAnswer, Fault, Process
from .suite import Suite


def main(arguments: list[str]) -> int:
    """Prints a line for each check. Returns 0 if all pass, 1 if one fails, 2 if the process cannot be checked."""
    parser = argparse.ArgumentParser(
        prog="python -m dgsbench.check", description="Checks that a model keeps to dgsbench's protocol. Each check builds models on a small random stream.",
        epilog="Exit status: 0 if all checks pass, 1 if one fails, 2 if the process cannot be checked.",
    )
    parser.add_argument("--options", type=json.loads, default=None, metavar="JSON", help="options.model of the specification")
    parser.add_argument("--task", choices=["nc", "lp"], help="check this task alone")
    parser.add_argument("command", nargs="+", metavar="MODULE", help="module that calls serve; or, after --, a command")
    given = parser.parse_args(arguments)
    command = given.command if "--" in arguments or len(given.command) > 1 else [sys.executable, "-m", given.command[0]]
    try:
        first = Process(command)
        try:
            greeting = first.greet()
        finally:
            first.end()
    except Fault as fault:
        print(f"{' '.join(command)}: {fault}", file=sys.stderr)
        return 2
    tasks = [task for task in greeting["tasks"] if given.task in (None, task)]
    if not tasks:
        print(f"{' '.join(command)}: no task {given.task}; it has {', '.join(greeting['tasks'])}", file=sys.stderr)
        return 2
    failed = passed = 0
    for task in tasks:
        for name, check in Suite(command, greeting, task, given.options).checks():
            try:
                reason = check()
            except (Fault, ErrorAnswer, AssertionError) as fault:
                reason = str(fault)
            failed, passed = failed + bool(reason), passed + (not reason)
            print(f"FAIL  {task}: {name}: {reason}" if reason else f"ok    {task}: {name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
