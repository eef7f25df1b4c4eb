"""Runs the tasks of one submission on a Ray cluster: driver.py N.json, on the head.

With --watch, it runs one task's command and ends it when its Ray worker is gone.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, NoReturn

AGAIN = 75  # exit code of a task that wants to be started again
GRACE = 20  # seconds between TERM and KILL
Task = dict[str, Any]


def end_with_parent(parent: int) -> None:
    """Has the kernel send TERM to this process when its parent ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def watch(parent: int, arguments: list[str]) -> int:
    """Runs a command, and hands on TERM, then KILL, to its process group."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    if stopped:
        return AGAIN
    me = os.getpid()

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent(me)

    child = subprocess.Popen(arguments, preexec_fn=prepare, start_new_session=True)
    while not stopped:
        try:
            return child.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(child.pid, signal.SIGTERM)
        return child.wait(timeout=GRACE)
    except ProcessLookupError:
        return child.wait()
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.wait()


def write(file: str, value: object) -> None:
    """Writes JSON to a file, all of it or nothing."""
    new = f"{file}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8") as f:
        json.dump(value, f)
    os.replace(new, file)


def run(task: Task, driver: str, started: str) -> int:
    """Runs a task in a Ray worker, and returns its exit code."""
    import ray

    node = ray.util.get_node_ip_address()
    write(started, {"node": node, "id": ray.get_runtime_context().get_node_id()})
    os.makedirs(os.path.dirname(task["log"]), exist_ok=True)
    command = [sys.executable, driver, "--watch", str(os.getpid()), *task["arguments"]]
    with open(task["log"], "ab") as log:
        child = subprocess.Popen(
            command, cwd=task["dir"], env={**os.environ, "DGSBENCH_NODE": node},
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            return child.wait()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()


def main(file: str) -> None:
    """Runs all tasks of a file, those that are last after the others."""
    import ray

    with open(file, encoding="utf-8") as f:
        submission = json.load(f)
    tasks: list[Task] = submission["tasks"]
    base = file.removesuffix(".json")
    states: dict[str, Task] = {str(t["number"]): {"phase": "waiting"} for t in tasks}
    write(base + ".state.json", states)
    ray.init(address="auto", log_to_driver=False)
    remote = ray.remote(run)

    def start(t: Task) -> Any:
        started = f"{base}.{t['number']}.started.json"
        if os.path.exists(started):
            os.remove(started)
        cores = t["cores"]
        if t["exclusive"]:
            cores = max(n["Resources"].get("CPU", 1) for n in ray.nodes() if n["Alive"])
        options = {"num_cpus": cores, "num_gpus": t["cards"], "max_retries": submission["retries"]}
        if t["memory"]:
            options["memory"] = t["memory"]
        return remote.options(**options).remote(t, os.path.abspath(__file__), started)

    def look() -> None:
        alive = {n["NodeID"] for n in ray.nodes() if n["Alive"]}
        for t in waiting.values():
            state: Task = {"phase": "waiting"}
            try:
                with open(f"{base}.{t['number']}.started.json", encoding="utf-8") as f:
                    at = json.load(f)
                if at["id"] in alive:
                    state = {"phase": "running", "node": at["node"]}
            except FileNotFoundError:
                pass
            states[str(t["number"])] = state
        write(base + ".state.json", states)

    for last in (False, True):
        waiting = {start(t): t for t in tasks if t["last"] == last}
        while waiting:
            over, _ = ray.wait(list(waiting), timeout=1)
            for reference in over:
                t = waiting.pop(reference)
                try:
                    code = ray.get(reference)
                except Exception as e:  # whatever Ray says, the other tasks go on
                    state = {"phase": "failed", "reason": str(e).strip().splitlines()[-1]}
                else:
                    if code == AGAIN:
                        time.sleep(0.1)
                        waiting[start(t)] = t
                        continue
                    state = {"phase": "done"}
                    if code:
                        reason = f"exit code {code}" if code > 0 else f"signal {-code}"
                        state = {"phase": "failed", "reason": reason}
                states[str(t["number"])] = state
            look()


def entry() -> NoReturn:
    """Calls watch or main."""
    if sys.argv[1] != "--watch":
        main(os.path.abspath(sys.argv[1]))
        sys.exit(0)
    code = watch(int(sys.argv[2]), sys.argv[3:])
    if code < 0:
        code = 128 - code
    sys.exit(code)


if __name__ == "__main__":
    entry()
