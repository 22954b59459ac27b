"""Bad task-set files: every problem is one exact line, the exit status is 2, nothing is a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from takt.base.errors import Problem
from takt.command import main
from typer.testing import CliRunner

HEAD = "schema = 1\n"
TASK = '[[task]]\nname = "A"\nperiod = 5\nwcet = 2\n'
SERVER = '[[server]]\nname = "S1"\nperiod = 4\nbudget = 2\n'

SECOND = '[[server]]\nname = "S2"\nperiod = 4\nbudget = 1\n'

TIME = "write a number followed by ns, us, ms or s in quotes, or a whole number of ticks"
TBS = 'schema = 1\n[system]\npolicy = "edf"\n[[server]]\nname = "S"\nperiod = 4\nbudget = 1\nkind = "tbs"\n'

TASK_KEYS = (
    "name, period, min_separation, arrivals, jitter, wcet, deadline, offset, priority, weight, demand, body, subjobs, "
    "sections, preemption, threshold, on_miss, on_overrun, promotion, mandatory, server, class, initially, "
    "events, interval"
)
NAMES = tuple(policy.name for policy in takt.policies())
POLICIES = ", ".join(NAMES)


def sharer(name: str, server: str | None = None) -> str:
    """A task with a section."""
    home = "" if server is None else f'server = "{server}"\n'
    return f'[[task]]\nname = "{name}"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\n{home}'


def resource(protocol: str) -> str:
    """The resource R."""
    return f'[[resource]]\nname = "R"\nprotocol = "{protocol}"\n'


def system(keys: str) -> str:
    """A task set with keys in [system]."""
    return f"{HEAD}[system]\n{keys}\n{TASK}"


def task(keys: str) -> str:
    """A task set with further keys in its task."""
    return f"{HEAD}{TASK}{keys}\n"


def source(keys: str) -> str:
    """A task set whose task has other keys instead of a period."""
    return HEAD + TASK.replace("period = 5", keys)


def task_with(key: str, value: str) -> str:
    """A task set whose task has another period or wcet."""
    return HEAD + TASK.replace({"period": "= 5", "wcet": "= 2", "name": '= "A"'}[key], f"= {value}")


def under(policy: str, keys: str = "", tables: str = "") -> str:
    """A task set under a policy, with further keys in its task, and further tables."""
    return f'{HEAD}[system]\npolicy = "{policy}"\n{TASK}{keys}\n{tables}\n'


def slots(rows: str, cycle: str = "10") -> str:
    """A time-driven task set with these slots."""
    return under("time-driven", tables=f"[policy.time-driven]\ncycle = {cycle}\nslots = [{rows}]")


SLOT = '{ task = "A", start = 0, length = 2 }'


def server(keys: str) -> str:
    """A task set with a server that has further keys."""
    return f"{HEAD}{TASK}{SERVER}{keys}\n"


def change(keys: str, at: str = "at = 4") -> str:
    """A task set with a change."""
    return f"{HEAD}{TASK}[[change]]\n{at}\n{keys}\n"


def requested(keys: str, more: str = "") -> str:
    """A rate-based task set whose task asks for something."""
    return f'{HEAD}[system]\npolicy = "rate-based"\n{TASK}{more}\n[[change]]\nat = 4\ntask = "A"\n{keys}\n'


def server_with(key: str, value: str) -> str:
    """A task set with a server that has another period, budget or name."""
    return HEAD + TASK + SERVER.replace({"name": '= "S1"', "period": "= 4", "budget": "= 2"}[key], f"= {value}")


def rated(options: str, keys: str = "") -> str:
    """A rate-based task set with options, and with further keys in its task."""
    return f'{HEAD}[system]\npolicy = "rate-based"\n[policy.rate-based]\n{options}\n{TASK}{keys}\n'


BAD: dict[str, tuple[str, list[str]]] = {
    # the file
    "empty": (
        "",
        [
            "schema: missing; write schema = 1 in the first line",
            "[[task]]: missing; a task set needs at least one [[task]]",
        ],
    ),
    "later schema": ("schema = 2\n" + TASK, ["schema: this version reads schema 1, found 2"]),
    "schema that is no number": ("schema = true\n" + TASK, ["schema: this version reads schema 1, found true"]),
    "no task": (HEAD, ["[[task]]: missing; a task set needs at least one [[task]]"]),
    "task as a table": (
        HEAD + '[task]\nname = "A"\n',
        ["task: expected an array of tables, found a table; write [[task]]"],
    ),
    "server as a number": (
        HEAD + "server = 3\n" + TASK,
        ["server: expected an array of tables, found 3; write [[server]]"],
    ),
    "system as an array": (
        HEAD + '[[system]]\nname = "A"\n' + TASK,
        ["system: expected a table, found an array; write [system]"],
    ),
    "misspelt table": (HEAD + TASK + "[systen]\n", ['systen: unknown key; did you mean "system"?']),
    "resource without a name": (
        HEAD + TASK + "[[resource]]\n",
        ['[[resource]] number 1 name: missing; every resource needs one, for instance name = "R"'],
    ),
    "change without a time": (
        change('remove = ["A"]', at=""),
        ['[[change]] number 1 at: missing; every change needs one, for instance at = "40ms"'],
    ),
    "change without a change": (
        change(""),
        [
            "[[change]] number 1 at: expected add, remove, policy, or task with new parameters besides it, found none",
        ],
    ),
    "parameters of no task": (
        change("wcet = 3"),
        ["[[change]] number 1 wcet: expected task = NAME with new parameters, found wcet alone"],
    ),
    "task without parameters": (
        change('task = "A"'),
        ['[[change]] number 1 task: expected new parameters of it, for instance period = "20ms", found none'],
    ),
    "names that are no list": (
        change('remove = "A"'),
        ['[[change]] number 1 remove: expected names such as ["sensor", "log"], found "A"'],
    ),
    "no names": (
        change("add = []"),
        ['[[change]] number 1 add: expected names such as ["sensor", "log"], found an empty list'],
    ),
    "name twice in a change": (
        change('remove = ["A", "A"]'),
        ['[[change]] number 1 remove: expected every name once, found "A" 2 times'],
    ),
    "added and removed": (
        change('remove = ["A"]\nadd = ["A"]'),
        ['[[change]] number 1 add: expected other tasks than in remove, found "A" in both'],
    ),
    "unknown tasks": (
        change('remove = ["X"]\ntask = "B"\nwcet = 1'),
        [
            '[[change]] number 1 remove: unknown task "X"; expected one of A',
            '[[change]] number 1 task: unknown task "B"; expected one of A',
        ],
    ),
    "added while it is there": (
        change('add = ["A"]'),
        [
            "[[change]] number 1 add: expected tasks that are absent at that time, "
            'found "A", which is there already; give it initially = "absent"'
        ],
    ),
    "removed while it is absent": (
        change('remove = ["A"]') + change('remove = ["A"]', at="at = 3").removeprefix(HEAD + TASK),
        ['[[change]] number 1 remove: expected tasks that are there at that time, found "A", which is absent'],
    ),
    "unknown policy of a change": (
        change('policy = "edff"'),
        ['[[change]] number 1 policy: unknown policy "edff"; did you mean "edf"?'],
    ),
    "change between ticks": (
        change('remove = ["A"]', at='at = "0.5ms"'),
        [
            '[[change]] number 1 at: expected a multiple of the resolution "1ms", found "0.5ms"; '
            'resolution = "500us" would do'
        ],
    ),
    "new policy with a threshold": (
        HEAD + TASK + 'threshold = 3\n[[change]]\nat = 4\npolicy = "edf"\n',
        ['[[change]] number 1 policy: expected none with a threshold at the root, that of "A", found "edf"'],
    ),
    "new policy with a ceiling": (
        HEAD
        + TASK
        + 'body = ["lock R", "run 1ms", "unlock R", "run 1ms"]\n[[resource]]\nname = "R"\nprotocol = "srp"\n'
        + '[[change]]\nat = 4\npolicy = "edf"\n',
        ['[[change]] number 1 policy: expected none with a ceiling at the root, that of "R", found "edf"'],
    ),
    "new policy over a server with deadlines": (
        HEAD + '[system]\npolicy = "edf"\n' + TASK + SERVER + 'kind = "cbs"\n[[change]]\nat = 4\npolicy = "rm"\n',
        ['[[change]] number 1 policy: expected edf over "S1", which is "cbs", found "rm"'],
    ),
    "new policy that orders by periods": (
        source("arrivals = [1]\ndeadline = 2") + '[[change]]\nat = 4\npolicy = "rm"\n',
        ['[[change]] number 1 policy: rm orders by period, and "A" has neither a period nor min_separation'],
    ),
    "new period of a task without one": (
        source("arrivals = [1]\ndeadline = 2") + '[[change]]\nat = 4\ntask = "A"\nperiod = 3\n',
        ['[[change]] number 1 period: expected none for "A", which has no period, found 3'],
    ),
    "new wcet below the body": (
        HEAD + TASK + 'body = ["run 1ms", "point", "run 1ms"]\n[[change]]\nat = 4\ntask = "A"\nwcet = 1\n',
        ["[[change]] number 1 wcet: expected runs of at most the wcet 1, found 2 ticks"],
    ),
    "new priority above the threshold": (
        HEAD + TASK + 'threshold = 3\n[[change]]\nat = 4\ntask = "A"\npriority = 4\n',
        ["[[change]] number 1 priority: expected at least the priority 4, found 3"],
    ),
    "changes where the scheduler is elsewhere": (
        HEAD + TASK + '[platform]\nmodel = "hardware"\n[[change]]\nat = 4\nremove = ["A"]\n',
        ['[[change]]: expected none with model = "hardware"'],
    ),
    "new weight under another policy": (
        change('task = "A"\nwcet = 1\nweight = 2'),
        ['[[change]] number 1 weight: expected policy = "rate-based" with a new weight, found "fp"'],
    ),
    "new priority of a rate": (
        requested("priority = 2"),
        ['[[change]] number 1 priority: expected none with policy = "rate-based", which does not read it, found 2'],
    ),
    "new class of a rate": (
        requested('class = "soft"'),
        [
            '[[change]] number 1 class: expected "hard", which tasks keep with policy = "rate-based", found "soft"; '
            'remove "A" and add another task'
        ],
    ),
    "new weight of a hard task": (
        requested("weight = 2"),
        ['[[change]] number 1 weight: expected none for "A": only class = "none" shares by weights, found 2'],
    ),
    "new weight zero": (
        requested("weight = 0"),
        ["[[change]] number 1 weight: expected a weight from 1 to 65535, found 0"],
    ),
    "new demand of who takes all": (
        requested("demand = 2", 'class = "none"').replace("wcet = 2\n", ""),
        ['[[change]] number 1 demand: expected none for "A", whose jobs take all that they are given'],
    ),
    "new wcet above the deadline of a rate": (
        requested("wcet = 6"),
        ['[[change]] number 1 wcet: expected at most the deadline 5 with policy = "rate-based", found 6'],
    ),
    "new deadline above the period of a rate": (
        requested("deadline = 6"),
        ["[[change]] number 1 deadline: expected at most the period 5, found 6"],
    ),
    "new deadline of a soft task": (
        requested("deadline = 3", 'class = "soft"'),
        ['[[change]] number 1 deadline: expected the period 5 for class "soft", found 3'],
    ),
    "new period of a rate too long": (
        requested("period = 137438953473"),
        [
            '[[change]] number 1 period: expected at most 137438953472 ticks with policy = "rate-based", '
            "found 137438953473"
        ],
    ),
    "policy of rates": (
        requested("wcet = 2\npolicy = 'edf'"),
        ['[[change]] number 1 policy: expected none where the root is or becomes rate-based, found "edf"'],
    ),
    "new parameters of a task with a deadline rule": (
        HEAD + '[system]\npolicy = "rbe"\n' + TASK + '[[change]]\nat = 4\ntask = "A"\nwcet = 1\n',
        [
            '[[change]] number 1 task: expected a task without a deadline rule, found "A"; '
            "remove it and add another task"
        ],
    ),
    "absent task with windows": (
        task('on_overrun = "suspend"\ninitially = "absent"'),
        ['[[task]] "A" initially: expected "present" of a task with windows, found "absent"'],
    ),
    "removed task with windows": (
        HEAD + TASK + 'on_overrun = "suspend"\n[[change]]\nat = 4\nremove = ["A"]\n',
        ['[[change]] number 1 remove: expected tasks without windows, found "A"'],
    ),
    "neither absent nor present": (
        task('initially = "away"'),
        ['[[task]] "A" initially: unknown word "away"; expected one of present, absent'],
    ),
    "unknown protocol": (
        HEAD + TASK + '[[resource]]\nname = "R"\nprotocol = "pcpp"\n',
        ['[[resource]] "R" protocol: unknown protocol "pcpp"; did you mean "pcp"?'],
    ),
    "two resources of one name": (
        HEAD + TASK + '[[resource]]\nname = "R"\n' * 2,
        ['[[resource]] "R" name: expected a name of its own, found that of another resource'],
    ),
    "policy options": (
        HEAD + TASK + "[policy.edf]\n",
        ["[policy.edf]: no policy of this name has options; expected one of rate-based, share, time-driven"],
    ),
    "syntax": (HEAD + TASK + "server = \n", ["line 6: not valid TOML: Invalid value"]),
    "open string": (HEAD + TASK + 'server = """', ["line 6: not valid TOML: Unterminated string"]),
    "key twice": (HEAD + TASK + "period = 3\n", ["line 6: not valid TOML: Cannot overwrite a value"]),
    "endless number": (task_with("period", "9" * 5000), ["not valid TOML: a number is too long"]),
    "endless nesting": (
        HEAD + "x = " + "[" * 5000 + "]" * 5000,
        ["line 2: expected keys and values in at most 32 levels, found more"],
    ),
    # [policy.rate-based]
    "options that are no table": (
        HEAD + "policy = 3\n" + TASK,
        ["policy: expected tables of options, found 3; write [policy.rate-based]"],
    ),
    "policy outside of its table": (
        HEAD + 'policy = "edf"\n' + TASK,
        ['policy: expected tables of options, found "edf"; write [system] policy = "edf"'],
    ),
    "options of a misspelt policy": (
        HEAD + "[policy.rate-basd]\n" + TASK,
        ['[policy.rate-basd]: no policy of this name has options; did you mean "rate-based"?'],
    ),
    "beta of the whole": (
        rated("beta = 1"),
        ["[policy.rate-based] beta: expected a share from 0 to below 1, found 1"],
    ),
    "beta in words": (
        rated('beta = "much"'),
        ['[policy.rate-based] beta: expected a share such as 0.1, or "formula", found "much"'],
    ),
    "sigma that is no number": (
        rated("sigma = true"),
        ["[policy.rate-based] sigma: expected a share of the processor such as 0.1, found true"],
    ),
    "grid between ticks": (
        rated('grid = "0.5ms"'),
        [
            '[policy.rate-based] grid: expected a multiple of the resolution "1ms", found "0.5ms"; '
            'resolution = "500us" would do'
        ],
    ),
    "unknown rule": (
        rated('changes = "soon"'),
        ['[policy.rate-based] changes: unknown rule "soon"; expected one of boundary, in-flight, naive'],
    ),
    "background in words": (
        rated('background = "yes"'),
        ['[policy.rate-based] background: expected true or false, found "yes"'],
    ),
    "estimates of too many jobs": (
        rated("estimate_jobs = 17"),
        ["[policy.rate-based] estimate_jobs: expected a number of jobs from 1 to 16, found 17"],
    ),
    "an estimate of a hard task": (
        rated("", 'on_overrun = "adapt"'),
        ['[[task]] "A" on_overrun: expected class = "soft" with "adapt", found "hard"'],
    ),
    "an estimate under another policy": (
        task('on_overrun = "adapt"'),
        ['[[task]] "A" on_overrun: expected policy = "rate-based" with "adapt", found another policy'],
    ),
    "rate-based with a scheduler in software": (
        rated("", "") + '[platform]\nmodel = "software"\ninterval = 6\n',
        ['[platform] model: expected none with policy = "rate-based", found "software"'],
    ),
    "rate-based with what it cannot have": (
        rated("", 'jitter = 1\npreemption = "non-preemptive"\non_miss = "abort"') + SERVER,
        [
            '[[server]] "S1": expected none with policy = "rate-based"',
            '[[task]] "A" jitter: expected none with policy = "rate-based", found 1',
            '[[task]] "A" on_miss: expected none with policy = "rate-based", found "abort"',
            '[[task]] "A" preemption: expected preemptive tasks with policy = "rate-based", found "non-preemptive"',
        ],
    ),
    "rate-based with costs": (
        rated("", "[platform]\nrelease = 1"),
        ['[platform] release: expected none with policy = "rate-based", found 1'],
    ),
    "rate-based deadline of a hard task": (
        rated("", "deadline = 6"),
        ['[[task]] "A" deadline: expected at most the period 5, found 6'],
    ),
    "rate-based deadline of a soft task": (
        rated("", 'deadline = 4\nclass = "soft"'),
        ['[[task]] "A" deadline: expected the period 5 for class "soft", found 4'],
    ),
    "rate-based wcet": (
        rated("", "deadline = 1"),
        ['[[task]] "A" wcet: expected at most the deadline 1 with policy = "rate-based", found 2'],
    ),
    "rate-based period": (
        rated("").replace("period = 5", "period = 137438953473"),
        ['[[task]] "A" period: expected at most 137438953472 ticks with policy = "rate-based", found 137438953473'],
    ),
    "rate-based server": (
        HEAD + TASK + SERVER + 'policy = "rate-based"\n',
        ['[[server]] "S1" policy: found a policy of the root; a server cannot be rate-based'],
    ),
    "no wcet elsewhere": (
        HEAD + TASK.replace("wcet = 2\n", 'class = "none"\n'),
        ['[[task]] "A" wcet: missing; only policy = "rate-based" goes without; give one, for instance wcet = "2ms"'],
    ),
    "sections that are no list": (
        task('sections = "2ms R"'),
        ['[[task]] "A" sections: expected runs such as ["1ms", "2ms R", "1ms"], found "2ms R"'],
    ),
    "no sections": (
        task("sections = []"),
        ['[[task]] "A" sections: expected runs such as ["1ms", "2ms R", "1ms"], found an empty list'],
    ),
    "a section without a time": (
        task('sections = ["R"]'),
        [f'[[task]] "A" sections: expected a positive time such as "10ms", found "R"; {TIME}'],
    ),
    "an empty section": (
        task('sections = [""]'),
        ['[[task]] "A" sections: expected a time and what is held, such as "2ms R", found ""'],
    ),
    "a section that is a table": (
        task("sections = [{}]"),
        [f'[[task]] "A" sections: expected a positive time such as "10ms", found a table; {TIME}'],
    ),
    "a resource twice in a section": (
        task('sections = ["1 R R"]'),
        ['[[task]] "A" sections: expected each resource once, found "1 R R"'],
    ),
    "a section with an unknown resource": (
        task('sections = [1, "1 R"]'),
        ['[[task]] "A" sections: unknown resource "R"; write [[resource]] name = "R"'],
    ),
    "sections and subjobs": (
        task("sections = [1]\nsubjobs = [1]"),
        ['[[task]] "A" sections: expected either subjobs or sections, found both'],
    ),
    "sections longer than the wcet": (
        task("sections = [1, 2]"),
        ['[[task]] "A" sections: expected runs of at most the wcet 2, found 3 ticks'],
    ),
    "weight zero": (task("weight = 0"), ['[[task]] "A" weight: expected a weight from 1 to 65535, found 0']),
    # [system]
    "unknown system key": (system("horizn = 1"), ['[system] horizn: unknown key; did you mean "horizon"?']),
    "resolution unit": (
        system('resolution = "1 fortnight"'),
        [
            '[system] resolution: expected a positive time such as "1ms", found "1 fortnight"; '
            "write a number followed by ns, us, ms or s in quotes"
        ],
    ),
    "resolution without unit": (
        system("resolution = 5"),
        [
            '[system] resolution: expected a positive time such as "1ms", found 5; '
            "write a number followed by ns, us, ms or s in quotes"
        ],
    ),
    "resolution zero": (
        system('resolution = "0ms"'),
        ['[system] resolution: expected a positive whole number of nanoseconds, found "0ms"'],
    ),
    "resolution below 1 ns": (
        system('resolution = "0.5ns"'),
        ['[system] resolution: expected a positive whole number of nanoseconds, found "0.5ns"'],
    ),
    "no processor": (system("cpus = 0"), ["[system] cpus: expected a number of processors from 1 to 64, found 0"]),
    "65 processors": (system("cpus = 65"), ["[system] cpus: expected a number of processors from 1 to 64, found 65"]),
    "half a processor": (
        system("cpus = 0.5"),
        ["[system] cpus: expected a number of processors from 1 to 64, found 0.5"],
    ),
    "more than plain tasks on two processors": (
        system('cpus = 2\npolicy = "llf"').replace("[[task]]", "[platform]\nrelease = 1\n[[task]]", 1)
        + 'threshold = "A"\n'
        + TASK.replace("A", "B")
        + 'subjobs = [1, 1]\nserver = "S1"\n'
        + TASK.replace("A", "C")
        + 'body = ["lock R", "run 1", "unlock R", "run 1"]\n'
        + TASK.replace("A", "D")
        + 'body = ["run 1", "suspend 1", "run 1"]\n'
        + SERVER
        + '[[resource]]\nname = "R"\n',
        [
            '[system] policy: expected a policy that orders whole jobs with cpus = 2, found "llf"',
            "[platform] release: expected none with cpus = 2, found 1",
            '[[server]] "S1": expected none with cpus = 2',
            '[[resource]] "R": expected none with cpus = 2',
            '[[task]] "A" threshold: expected none with cpus = 2, found "A"',
            '[[task]] "B" server: expected none with cpus = 2, found "S1"',
            '[[task]] "B" subjobs: expected jobs that just run with cpus = 2, found "point"',
            '[[task]] "C" body: expected jobs that just run with cpus = 2, found "lock"',
            '[[task]] "D" body: expected jobs that just run with cpus = 2, found "suspend"',
        ],
    ),
    "an architecture on two processors": (
        system("cpus = 2").replace("[[task]]", '[platform]\nmodel = "hardware"\ncontext_switch = 1\n[[task]]'),
        [
            '[platform] model: expected none with cpus = 2, found "hardware"',
            "[platform] context_switch: expected none with cpus = 2, found 1",
        ],
    ),
    "misspelt policy": (system('policy = "edff"'), ['[system] policy: unknown policy "edff"; did you mean "edf"?']),
    "strange policy": (
        system('policy = "??"'),
        [f'[system] policy: unknown policy "??"; expected one of {POLICIES}'],
    ),
    "policy that is no text": (
        system("policy = 3"),
        [f"[system] policy: expected one of {POLICIES}, found 3"],
    ),
    "horizon zero": (
        system('horizon = "0s"'),
        ['[system] horizon: expected a positive time such as "10ms", found "0s"'],
    ),
    "horizon between ticks": (
        system('horizon = "0.5ms"'),
        ['[system] horizon: expected a multiple of the resolution "1ms", found "0.5ms"; resolution = "500us" would do'],
    ),
    "horizon too long": (
        system("horizon = 4611686018427387904"),
        ["[system] horizon: expected at most 4611686018427387903 ticks, found 4611686018427387904"],
    ),
    "horizon with too many jobs": (
        system("horizon = 4611686018427387903"),
        ['[system] horizon: task "A" would release more than 4294967295 jobs; shorten it'],
    ),
    "no horizon and no short one": (
        task_with("period", "9973") + TASK.replace("5", "9967").replace("A", "B"),
        ['[system] horizon: missing, and the releases repeat too late for a default; give one, for instance "2s"'],
    ),
    "seed below zero": (
        system("seed = -1"),
        ["[system] seed: expected a whole number from 0 to 18446744073709551615, found -1"],
    ),
    # times
    "unknown unit": (
        task_with("period", '"10 parsecs"'),
        [f'[[task]] "A" period: expected a positive time such as "10ms", found "10 parsecs"; {TIME}'],
    ),
    "float": (
        task_with("period", "5.0"),
        [f'[[task]] "A" period: expected a positive time such as "10ms", found 5.0; {TIME}'],
    ),
    "infinity": (
        task_with("wcet", "inf"),
        [f'[[task]] "A" wcet: expected a positive time such as "10ms", found inf; {TIME}'],
    ),
    "truth": (
        task_with("wcet", "true"),
        [f'[[task]] "A" wcet: expected a positive time such as "10ms", found true; {TIME}'],
    ),
    "date": (
        task_with("period", "2024-01-01"),
        [f'[[task]] "A" period: expected a positive time such as "10ms", found 2024-01-01; {TIME}'],
    ),
    "negative ticks": (
        task_with("period", "-5"),
        ['[[task]] "A" period: expected a positive time such as "10ms", found -5'],
    ),
    "negative time": (
        task_with("wcet", '"-2ms"'),
        ['[[task]] "A" wcet: expected a positive time such as "10ms", found "-2ms"'],
    ),
    "zero period": (
        task_with("period", "0"),
        ['[[task]] "A" period: expected a positive time such as "10ms", found 0'],
    ),
    "zero wcet": (
        task_with("wcet", '"0us"'),
        ['[[task]] "A" wcet: expected a positive time such as "10ms", found "0us"'],
    ),
    "zero deadline": (
        task("deadline = 0"),
        ['[[task]] "A" deadline: expected a positive time such as "10ms", found 0'],
    ),
    "negative offset": (
        task("offset = -1"),
        ['[[task]] "A" offset: expected a time of 0 or more such as "5ms", found -1'],
    ),
    "zero demand": (task("demand = 0"), ['[[task]] "A" demand: expected a positive time such as "2ms", found 0']),
    "empty list of demands": (
        task("demand = []"),
        ['[[task]] "A" demand: expected times such as ["2ms", "3ms"], found an empty list'],
    ),
    "zero in a list of demands": (
        task("demand = [1, 0]"),
        ['[[task]] "A" demand: expected a positive time such as "2ms", found 0'],
    ),
    "distribution without a name": (
        task("demand = {min = 1, max = 2}"),
        ['[[task]] "A" demand: missing "distribution"; expected one of uniform, normal, weibull, exponential'],
    ),
    "unknown distribution": (
        task('demand = {distribution = "norml", mean = 2}'),
        ['[[task]] "A" demand: unknown distribution "norml"; did you mean "normal"?'],
    ),
    "distribution without a parameter": (
        task('demand = {distribution = "normal", mean = 2}'),
        ['[[task]] "A" demand: deviation: missing; every distribution needs one, for instance deviation = "500us"'],
    ),
    "distribution with a strange parameter": (
        task('demand = {distribution = "exponential", mean = 2, shap = 1}'),
        ['[[task]] "A" demand: shap: unknown key; expected one of min, max, mean'],
    ),
    "shape of zero": (
        task('demand = {distribution = "weibull", scale = 2, shape = 0}'),
        ['[[task]] "A" demand: shape: expected a positive number such as 1.5, found 0'],
    ),
    "uniform that ends before it begins": (
        task('demand = {distribution = "uniform", min = 3, max = 2}'),
        ['[[task]] "A" demand: expected min <= max, found 3 > 2 ticks'],
    ),
    "demand that may be zero": (
        task('demand = {distribution = "uniform", min = 0, max = 2}'),
        ['[[task]] "A" demand: expected min >= 1 tick, found 0'],
    ),
    "separations that are never any": (
        source('arrivals = {distribution = "exponential", mean = 2, max = 0}\ndeadline = 5'),
        ['[[task]] "A" arrivals: expected max >= 1 tick, found 0'],
    ),
    "separations that are all below the least one": (
        source('arrivals = {distribution = "uniform", min = 1, max = 4}\nmin_separation = 5'),
        ['[[task]] "A" arrivals: expected max >= min_separation = 5, found 4'],
    ),
    "limits that leave nothing below the wcet": (
        task('demand = {distribution = "exponential", mean = 2, min = 9}'),
        ['[[task]] "A" demand: expected min <= max, found 9 > 2 ticks, which is the wcet unless you give one'],
    ),
    "period and separation": (
        task("min_separation = 3"),
        ['[[task]] "A" min_separation: expected none with a period, found 3'],
    ),
    "period and arrivals": (
        task("arrivals = [0, 3]"),
        ['[[task]] "A" arrivals: expected none with a period, found an array'],
    ),
    "jitter of a sporadic task": (
        source("min_separation = 5\njitter = 1"),
        ['[[task]] "A" jitter: expected a period with jitter, found 1 without one'],
    ),
    "negative jitter": (
        task("jitter = -1"),
        ['[[task]] "A" jitter: expected a time of 0 or more such as "5ms", found -1'],
    ),
    "arrivals without a deadline": (
        source("arrivals = [0, 3]"),
        [
            '[[task]] "A" deadline: missing; a task without period or min_separation needs one, '
            'for instance deadline = "10ms"'
        ],
    ),
    "arrivals that descend": (
        source("arrivals = [0, 3, 2]\ndeadline = 5"),
        ['[[task]] "A" arrivals: expected instants that do not descend, found 2 after 3'],
    ),
    "arrivals that come too close": (
        source('arrivals = ["0ms", "3ms"]\nmin_separation = 4'),
        ['[[task]] "A" arrivals: expected at least min_separation = 4 in between, found "3ms" after "0ms"'],
    ),
    "arrivals that are no list": (
        source("arrivals = 3\ndeadline = 5"),
        ['[[task]] "A" arrivals: expected instants such as [0, "3ms"], found 3'],
    ),
    "no period under rm": (
        source("arrivals = [0, 3]\ndeadline = 5").replace("[[task]]", '[system]\npolicy = "rm"\n[[task]]'),
        ['[[task]] "A" min_separation: missing; rm orders by period: give one, for instance min_separation = "10ms"'],
    ),
    "body that is no list": (
        task('body = "run 2"'),
        [
            '[[task]] "A" body: expected a list of items such as '
            '"run 2ms", "point", "optional point", "suspend 1ms", "lock R" or "unlock R", found "run 2"'
        ],
    ),
    "body longer than wcet": (
        task('body = ["run 2", "point", "run 1ms"]'),
        ['[[task]] "A" body: expected runs of at most the wcet 2, found 3 ticks'],
    ),
    "subjobs longer than wcet": (
        task("subjobs = [2, 1]"),
        ['[[task]] "A" subjobs: expected runs of at most the wcet 2, found 3 ticks'],
    ),
    "body without wcet longer than any time": (
        HEAD + '[[task]]\nname = "A"\nperiod = 5\nbody = ["run 4611686018427387903", "run 1"]\n',
        ['[[task]] "A" body: expected runs of at most 4611686018427387903 ticks, found 4611686018427387904 ticks'],
    ),
    "separations longer than any time": (
        source("min_separation = 4611686018427387903"),
        [
            '[[task]] "A" min_separation: expected at most 2305843009213693951 ticks unless there are arrivals, '
            "found 4611686018427387903"
        ],
    ),
    "arrival after all times": (
        source("arrivals = [1, 4611686018427387903]\ndeadline = 1\noffset = 1"),
        [
            '[[task]] "A" arrivals: expected arrivals of at most 4611686018427387903 ticks with the offset, '
            "found 4611686018427387904"
        ],
    ),
    "name on two lines for some": (
        task('server = "a\u2028b"'),
        ['[[task]] "A" server: expected a name of printable characters, found "a\\u2028b"'],
    ),
    "body that ends in a point": (
        task('body = ["run 2", "point"]'),
        ['[[task]] "A" body: expected a run as the last item, found "point"; leave it out'],
    ),
    "unknown item": (
        task('body = ["rum 2", "run 2"]'),
        ['[[task]] "A" body: unknown item "rum 2"; did you mean "run"?'],
    ),
    "item without a time": (
        task('body = ["run"]'),
        ['[[task]] "A" body: expected a time after "run", for instance "run 2ms"'],
    ),
    "item of no time": (
        task('body = ["suspend 0", "run 1"]'),
        ['[[task]] "A" body: expected a positive time such as "10ms", found 0'],
    ),
    "unlock without lock": (
        task('body = ["run 1", "unlock R"]'),
        ['[[task]] "A" body: expected "lock R" before it, found "unlock R"; sections are nested'],
    ),
    "sections that cross": (
        task('body = ["lock R", "lock S", "run 1", "unlock R", "unlock S"]'),
        ['[[task]] "A" body: expected "unlock S" first, found "unlock R"; sections are nested'],
    ),
    "lock of what is held": (
        task('body = ["lock R", "run 1", "lock R"]'),
        ['[[task]] "A" body: expected "unlock R" before another "lock R"'],
    ),
    "suspension in a section": (
        task('body = ["lock R", "suspend 1ms", "run 1", "unlock R"]'),
        ['[[task]] "A" body: expected "unlock R" before a suspension, found "suspend 1ms"'],
    ),
    "lock of nothing": (
        task('body = ["lock", "run 1"]'),
        ['[[task]] "A" body: expected a resource after "lock", for instance "lock R"'],
    ),
    "body that ends before it runs": (
        task('body = ["run 1", "lock R", "unlock R"]'),
        ['[[task]] "A" body: expected a run as the last item, found "unlock R"; leave it out'],
    ),
    "resource that is not there": (
        task('body = ["lock R", "run 1", "unlock R"]'),
        ['[[task]] "A" body: unknown resource "R"; write [[resource]] name = "R"'],
    ),
    "resource of two dispatchers": (
        HEAD
        + '[[task]]\nname = "A"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\n'
        + '[[task]]\nname = "B"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\nserver = "S"\n'
        + '[[server]]\nname = "S"\nperiod = 5\nbudget = 1\n[[resource]]\nname = "R"\n',
        ['[[resource]] "R" name: expected users in one dispatcher, found "A" at the root and "B" in the server "S"'],
    ),
    "rate-based execution without an interval": (
        HEAD + '[system]\npolicy = "rbe"\n[[task]]\nname = "A"\narrivals = [0, 0]\ndeadline = 5\nwcet = 1\n',
        ['[[task]] "A" interval: missing; rbe gives deadlines by it, for instance interval = "10ms"'],
    ),
    "total bandwidth without deadlines": (
        HEAD + '[[server]]\nname = "S"\nperiod = 4\nbudget = 1\nkind = "tbs"\n' + TASK,
        ['[[server]] "S" kind: expected a kind without deadlines under "fp", found "tbs"; it needs edf or rbe'],
    ),
    "dispatcher of a total bandwidth server": (
        TBS + 'policy = "edf"\noffset = 3\n' + TASK,
        [
            '[[server]] "S" policy: expected none with kind "tbs", found "edf"',
            '[[server]] "S" offset: expected none with kind "tbs", found 3',
        ],
    ),
    "server in a total bandwidth server": (
        TBS + '[[server]]\nname = "T"\nperiod = 4\nbudget = 1\nparent = "S"\n' + TASK,
        ['[[server]] "T" parent: expected a server that can hold others, found "S" of kind "tbs"'],
    ),
    "deadline in a total bandwidth server": (
        TBS + TASK + 'server = "S"\ndeadline = 3\nthreshold = "A"\n',
        [
            '[[task]] "A" deadline: expected none in a server of kind "tbs", found 3',
            '[[task]] "A" threshold: expected none in a server of kind "tbs", found "A"',
        ],
    ),
    "share too small for a wcet": (
        TBS + TASK.replace("wcet = 2", f"wcet = {2**61}") + 'server = "S"\n',
        [f'[[task]] "A" wcet: expected wcet / share of at most {2**62 - 1} ticks, found {2**63}'],
    ),
    "ceiling in a total bandwidth server": (
        TBS
        + '[[task]]\nname = "A"\nperiod = 5\nserver = "S"\nbody = ["lock R", "run 1", "unlock R"]\n'
        + '[[resource]]\nname = "R"\nprotocol = "srp"\n',
        ['[[resource]] "R" protocol: found "srp" in a server of kind "tbs"; it needs fixed deadlines'],
    ),
    "no deadline in a server": (
        HEAD
        + '[[server]]\nname = "S"\nperiod = 4\nbudget = 1\n'
        + '[[task]]\nname = "A"\narrivals = [0]\nwcet = 1\nserver = "S"\n',
        [
            '[[task]] "A" deadline: missing; a task without period or min_separation needs one, '
            'for instance deadline = "10ms"'
        ],
    ),
    "strange variant of shares": (
        HEAD + '[policy.share]\nvariant = "wrr"\nquantum = 3\n' + TASK,
        [
            '[policy.share] variant: unknown variant "wrr"; expected one of generic, wfq, wf2q',
            "[policy.share] quantum: unknown key; expected one of variant",
        ],
    ),
    "options of a strange policy": (
        HEAD + "[policy.shares]\n[policy.rate-based]\n" + TASK,
        ['[policy.shares]: no policy of this name has options; did you mean "share"?'],
    ),
    "weight of nothing": (
        task("weight = 0"),
        ['[[task]] "A" weight: expected a weight from 1 to 65535, found 0'],
    ),
    "server under shares": (
        HEAD + '[system]\npolicy = "share"\n' + TASK + SERVER,
        ['[[server]] "S1": expected none with policy = "share"'],
    ),
    "threshold and time under shares": (
        HEAD + f'[system]\npolicy = "share"\nhorizon = {2**38 + 1}\n' + TASK + 'threshold = "A"\n',
        [
            '[[task]] "A" threshold: expected none with policy = "share", found "A"',
            f'[system] horizon: expected at most {2**38} ticks with policy = "share", found {2**38 + 1}',
        ],
    ),
    "costs under WF2Q": (
        HEAD + '[system]\npolicy = "share"\n[policy.share]\nvariant = "wf2q"\n[platform]\nrelease = 1\n' + TASK,
        ['[platform] release: expected no kernel costs with variant = "wf2q", found 1'],
    ),
    "no events": (
        task("events = 0"),
        ['[[task]] "A" events: expected a number of events from 1 to 65535, found 0'],
    ),
    "interval of a task between ticks": (
        task('interval = "500us"'),
        [
            '[[task]] "A" interval: expected a multiple of the resolution "1ms", found "500us"; '
            'resolution = "500us" would do'
        ],
    ),
    "ceiling under rate-based execution": (
        HEAD
        + '[system]\npolicy = "rbe"\n'
        + '[[task]]\nname = "A"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\n'
        + '[[resource]]\nname = "R"\nprotocol = "icpp"\n',
        ['[[resource]] "R" protocol: found "icpp" under "rbe"; it needs dm, edf, fp, rm'],
    ),
    "architecture under rate-based execution": (
        HEAD + '[system]\npolicy = "rbe"\n[platform]\nmodel = "hardware"\n' + TASK,
        ['[system] policy: expected a policy without deadline rules with model = "hardware", found "rbe"'],
    ),
    "ceiling without levels": (
        HEAD
        + '[system]\npolicy = "llf"\n'
        + '[[task]]\nname = "A"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\n'
        + '[[resource]]\nname = "R"\nprotocol = "srp"\n',
        ['[[resource]] "R" protocol: found "srp" under "llf"; it needs dm, edf, fp, rm'],
    ),
    "protocols that do not mix": (
        HEAD
        + '[[task]]\nname = "A"\nperiod = 5\nbody = ["lock R", "lock S", "run 1"]\n'
        + '[[resource]]\nname = "R"\nprotocol = "srp"\n[[resource]]\nname = "S"\n',
        ['[[resource]] "R" protocol: expected "srp" for all resources of a dispatcher, found "pip" of "S"'],
    ),
    "resource of servers used at the root": (
        HEAD + sharer("A") + resource("hsrp"),
        ['[[resource]] "R" name: expected users in servers of one parent, or in that parent, found "A" at the root'],
    ),
    "resource of servers of two parents": (
        HEAD
        + sharer("A", "S1")
        + sharer("B", "S2")
        + SERVER
        + SECOND.replace("S2", "S3")
        + SECOND
        + 'parent = "S3"\n'
        + resource("hsrp"),
        [
            '[[resource]] "R" name: expected users in servers of one parent, or in that parent, '
            'found "A" in the server "S1", "B" in the server "S2"'
        ],
    ),
    "resource of servers under llf": (
        HEAD + sharer("A", "S1") + SERVER + 'policy = "llf"\n' + resource("sirap"),
        ['[[resource]] "R" protocol: found "sirap" under "llf"; it needs dm, edf, fp, rm'],
    ),
    "resource of servers that are sporadic": (
        HEAD + sharer("A", "S1") + SERVER + 'kind = "sporadic"\n' + resource("hsrp"),
        [
            '[[resource]] "R" protocol: found "hsrp" in the server "S1", which is sporadic; '
            "it needs deferrable, idling, polling"
        ],
    ),
    "resource of servers beside another protocol": (
        HEAD
        + sharer("A", "S1")
        + sharer("B").replace("R", "Q")
        + SERVER
        + resource("hsrp")
        + '[[resource]]\nname = "Q"\n',
        [
            '[[resource]] "R" protocol: expected "hsrp" or "srp" for all resources of these servers and their parent, '
            'found "pip" of "Q"'
        ],
    ),
    "section longer than the budget under sirap": (
        HEAD + sharer("A", "S1").replace("run 1", "run 3") + SERVER + resource("sirap"),
        [
            '[[resource]] "R" protocol: expected at most the budget 2 of the server "S1" from lock to unlock, '
            "found 3 ticks"
        ],
    ),
    "section without a bound under sirap": (
        HEAD + sharer("A", "S1") + '[[task]]\nname = "B"\narrivals = [1]\nwcet = 1\ndeadline = 1\npriority = 1\n'
        'server = "S1"\n' + SERVER + resource("sirap"),
        [
            '[[resource]] "R" protocol: expected a period or min_separation of "B", '
            'which can displace who holds it in the server "S1"'
        ],
    ),
    "resource of servers on several processors": (
        HEAD + "[system]\ncpus = 2\n" + sharer("A", "S1") + SERVER + resource("hsrp"),
        [
            '[[server]] "S1": expected none with cpus = 2',
            '[[resource]] "R": expected none with cpus = 2',
            '[[task]] "A" server: expected none with cpus = 2, found "S1"',
            '[[task]] "A" body: expected jobs that just run with cpus = 2, found "lock"',
        ],
    ),
    "resource of servers and another policy at the root": (
        HEAD + sharer("A", "S1") + SERVER + resource("hsrp") + '[[change]]\nat = 9\npolicy = "edf"\n',
        ['[[change]] number 1 policy: expected none with a ceiling at the root, that of "R", found "edf"'],
    ),
    "new parameters of who shares among servers": (
        HEAD + sharer("A", "S1") + SERVER + resource("hsrp") + '[[change]]\nat = 9\ntask = "A"\npriority = 2\n',
        [
            "[[change]] number 1 task: expected tasks that ceilings and sections among servers do not depend on, "
            'found "A" with "R"'
        ],
    ),
    "new parameters beside who waits for budget": (
        HEAD
        + sharer("A", "S1")
        + '[[task]]\nname = "B"\nperiod = 9\nwcet = 1\nserver = "S1"\n'
        + SERVER
        + resource("sirap")
        + '[[change]]\nat = 9\ntask = "B"\nwcet = 2\n',
        [
            "[[change]] number 1 task: expected tasks that ceilings and sections among servers do not depend on, "
            'found "B" with "R"'
        ],
    ),
    "lock where points pull": (
        HEAD
        + '[[task]]\nname = "A"\nperiod = 5\nbody = ["lock R", "run 1", "unlock R"]\n'
        + '[[resource]]\nname = "R"\n[platform]\npoints = "pull"\n',
        ['[[task]] "A" body: expected no lock with points = "pull"; leave one of them out'],
    ),
    "item between ticks": (
        task('body = ["run 500us"]'),
        [
            '[[task]] "A" body: expected a multiple of the resolution "1ms", found "500us"; '
            'resolution = "500us" would do'
        ],
    ),
    "body and subjobs": (
        task('body = ["run 1"]\nsubjobs = [1]'),
        ['[[task]] "A" subjobs: expected either body or subjobs, found both'],
    ),
    "strange on_miss": (
        task('on_miss = "ignore"'),
        ['[[task]] "A" on_miss: unknown on_miss "ignore"; expected one of continue, abort, skip'],
    ),
    "strange on_overrun": (
        task('on_overrun = "kill"'),
        ['[[task]] "A" on_overrun: unknown on_overrun "kill"; expected one of continue, abort, suspend, adapt'],
    ),
    # windows
    "budgets and other special things": (
        task('on_overrun = "abort"\non_miss = "skip"\njitter = 1\npreemption = "non-preemptive"'),
        [
            '[[task]] "A" jitter: expected none with on_overrun = "abort", found 1',
            '[[task]] "A" on_miss: expected none with on_overrun = "abort", found "skip"',
            '[[task]] "A" preemption: expected none with on_overrun = "abort", found "non-preemptive"',
        ],
    ),
    "a budget in a server": (
        HEAD + TASK + 'on_overrun = "suspend"\nserver = "S1"\n' + SERVER,
        ['[[task]] "A" server: expected none with on_overrun = "suspend", found "S1"'],
    ),
    "a budget of a sporadic task": (
        source('min_separation = 5\non_overrun = "suspend"'),
        ['[[task]] "A" min_separation: expected none with on_overrun = "suspend", found 5'],
    ),
    "budgets where the kernel takes time": (
        task('on_overrun = "abort"\n[platform]\nrelease = 1'),
        ['[platform] release: expected none with on_overrun = "abort", found 1'],
    ),
    "budgets twice": (
        under("imprecise", 'on_overrun = "abort"'),
        [
            '[[task]] "A" on_overrun: expected none with policy = "imprecise", which enforces budgets by itself, '
            'found "abort"'
        ],
    ),
    "no table": (
        under("time-driven"),
        ['[policy.time-driven]: missing; policy = "time-driven" needs a table of slots'],
    ),
    "no cycle": (
        under("time-driven", tables=f"[policy.time-driven]\nslots = [{SLOT}]"),
        ['[policy.time-driven] cycle: missing; every policy.time-driven needs one, for instance cycle = "20ms"'],
    ),
    "a table that is none": (
        HEAD + "policy.time-driven = 3\n" + TASK,
        ['"policy.time-driven": expected a table, found 3; write [policy.time-driven]'],
    ),
    "no slots": (
        slots(""),
        [
            "[policy.time-driven] slots: expected slots such as "
            '[{ task = "A", start = 0, length = "4ms" }], found an array'
        ],
    ),
    "a slot that is none": (slots("1"), ["[policy.time-driven] slots: slot 1: expected a table, found 1"]),
    "a slot without length": (
        slots('{ task = "A", start = 0 }'),
        [
            "[policy.time-driven] slots: slot 1: length: missing; every policy.time-driven needs one, for instance "
            'length = "4ms"'
        ],
    ),
    "a slot of nobody": (
        slots(SLOT + ', { task = "B", start = 2, length = 2 }'),
        ['[policy.time-driven] slots: unknown task "B"; expected one of A'],
    ),
    "a task without slot": (
        slots(SLOT) + TASK.replace("A", "B"),
        ['[policy.time-driven] slots: expected a slot of every task, found none of "B"'],
    ),
    "a slot beyond the cycle": (
        slots(SLOT, "1"),
        ['[policy.time-driven] slots: expected slots within the cycle of 1 ticks, found one of "A" up to 2'],
    ),
    "slots that overlap": (
        slots(SLOT + ', { task = "A", start = 1, length = 2 }'),
        [
            '[policy.time-driven] slots: expected slots that do not overlap, found one of "A" from tick 1 on, '
            'and one of "A" up to 2'
        ],
    ),
    "a cycle between ticks": (
        slots(SLOT, '"5500us"'),
        [
            '[policy.time-driven] cycle: expected a multiple of the resolution "1ms", found "5500us"; '
            'resolution = "500us" would do'
        ],
    ),
    "a server beside a table": (
        slots(SLOT) + SERVER,
        ['[[server]] "S1": expected none with policy = "time-driven"'],
    ),
    "a promotion after the deadline": (
        under("dual-priority", "promotion = 6"),
        ['[[task]] "A" promotion: expected at most the deadline of 5 ticks, found 6'],
    ),
    "a deadline after the next release": (
        under("dual-priority", "deadline = 6"),
        ['[[task]] "A" deadline: expected at most the period 5 with policy = "dual-priority", found 6'],
    ),
    "soft tasks that keep hard ones waiting": (
        under("dual-priority", 'class = "soft"\nsubjobs = [1, 1]'),
        ['[[task]] "A" subjobs: expected none with policy = "dual-priority", found an array'],
    ),
    "soft tasks that lock": (
        under("dual-priority", 'class = "soft"\nbody = ["lock R", "run 2"]', '[[resource]]\nname = "R"'),
        ['[[task]] "A" body: expected neither locks nor points with policy = "dual-priority"'],
    ),
    "more mandatory than all": (
        under("imprecise", "mandatory = 3"),
        ['[[task]] "A" mandatory: expected at most the wcet of 2 ticks, found 3'],
    ),
    "a pinwheel without a right task": (
        under("pinwheel").replace("wcet = 2", "wcet = 0"),
        ['[[task]] "A" wcet: expected a positive time such as "10ms", found 0'],
    ),
    "a pinwheel that does not turn": (
        under("pinwheel", tables=TASK.replace("A", "B") + TASK.replace("A", "C").replace("5", "6")),
        [
            "[system] policy: pinwheel cannot admit these tasks: no periods x 2^j, at most those given, have a sum of "
            "wcet / period of at most 1"
        ],
    ),
    "threshold of an unknown task": (
        task('threshold = "B"'),
        ['[[task]] "A" threshold: expected the name of a task at the root, found "B"; expected one of A'],
    ),
    "threshold with points": (
        task('threshold = "A"\nsubjobs = [1, 1]'),
        ['[[task]] "A" threshold: expected none with preemption = "non-preemptive", found "A"'],
    ),
    "negative cost": (
        HEAD + "[platform]\nrelease = -1\n" + TASK,
        ['[platform] release: expected a time of 0 or more such as "5ms", found -1'],
    ),
    "cost between ticks": (
        HEAD + '[platform]\nrelease = "5us"\n' + TASK,
        ['[platform] release: expected a multiple of the resolution "1ms", found "5us"; resolution = "5us" would do'],
    ),
    "costs of an ideal platform": (
        HEAD + '[platform]\nmodel = "ideal"\npoint = 1\n' + TASK,
        ['[platform] point: expected none with model = "ideal", found 1'],
    ),
    "strange model": (
        HEAD + '[platform]\nmodel = "firmware"\n' + TASK,
        ['[platform] model: unknown model "firmware"; did you mean "software"?'],
    ),
    "tick without a period": (
        HEAD + "[platform]\ntick = 1\n" + TASK,
        ['[platform] tick_period: missing; a tick needs one, for instance tick_period = "1ms"'],
    ),
    "tick where points pull": (
        HEAD + '[platform]\ntick = 1\ntick_period = 5\npoints = "pull"\n' + TASK,
        ['[platform] points: expected "push" with a tick, found "pull"; leave one of them out'],
    ),
    "abort where points pull": (
        HEAD + '[platform]\npoints = "pull"\n' + TASK + 'on_miss = "abort"\n',
        ['[[task]] "A" on_miss: expected "continue" with points = "pull", found "abort"'],
    ),
    "late jobs of an architecture": (
        HEAD + '[platform]\nmodel = "hardware"\n' + TASK + 'on_miss = "skip"\n',
        ['[[task]] "A" on_miss: expected none with model = "hardware", found "skip"'],
    ),
    "jobs of an architecture that come as they like": (
        HEAD + '[platform]\nmodel = "hardware"\n' + TASK.replace("period", "min_separation"),
        ['[[task]] "A" min_separation: expected none with model = "hardware", found 5'],
    ),
    "tasks of an architecture that are not plain": (
        HEAD
        + '[platform]\nmodel = "hardware"\n'
        + TASK
        + "jitter = 1\nsubjobs = [1, 1]\n"
        + TASK.replace('"A"', '"B"')
        + 'preemption = "non-preemptive"\ndemand = [1, 2]\n'
        + TASK.replace('"A"', '"C"')
        + "demand = 3\n"
        + TASK.replace('"A"', '"D"')
        + 'body = ["run 2"]\nthreshold = 3\n',
        [
            '[[task]] "A" jitter: expected none with model = "hardware", found 1',
            '[[task]] "A" subjobs: expected none with model = "hardware", found an array',
            '[[task]] "B" preemption: expected preemptive tasks with model = "hardware", found "non-preemptive"',
            '[[task]] "B" demand: expected one constant time with model = "hardware", found an array',
            '[[task]] "C" demand: expected at most the wcet with model = "hardware", found 3',
            '[[task]] "D" body: expected none with model = "hardware", found an array',
            '[[task]] "D" threshold: expected none with model = "hardware", found 3',
        ],
    ),
    "servers and resources on an architecture": (
        HEAD + '[platform]\nmodel = "hardware"\n' + TASK + 'server = "S1"\n' + SERVER + '[[resource]]\nname = "R"\n',
        [
            '[[server]] "S1": expected none with model = "hardware"',
            '[[resource]] "R": expected none with model = "hardware"',
            '[[task]] "A" server: expected none with model = "hardware", found "S1"',
        ],
    ),
    "an architecture under llf": (
        HEAD + '[system]\npolicy = "llf"\n[platform]\nmodel = "hardware"\n' + TASK,
        [
            "[system] policy: expected a policy whose order does not change while jobs wait with "
            'model = "hardware", found "llf"'
        ],
    ),
    "costs of an architecture": (
        HEAD + '[platform]\nmodel = "software"\nrelease = 1\ntick = 1\ntick_period = 5\n' + TASK,
        [
            '[platform] interval: missing; a scheduler in software needs one, for instance interval = "500us"',
            '[platform] release: expected none with model = "software", found 1',
            '[platform] tick: expected none with model = "software", found 1',
            '[platform] tick_period: expected none with model = "software", found 5',
        ],
    ),
    "pulled points of an architecture": (
        HEAD + '[platform]\nmodel = "coprocessor"\nlatency = 1\npoints = "pull"\n' + TASK,
        ['[platform] points: expected none with model = "coprocessor", found "pull"'],
    ),
    "keys of an architecture without one": (
        HEAD + '[platform]\ninterval = 5\ntimer = "fixed"\nlatency = 0\n' + TASK,
        [
            '[platform] interval: expected model = "software" with it, found no model',
            '[platform] timer: expected model = "software" with it, found no model',
            '[platform] latency: expected model = "coprocessor" with it, found no model',
        ],
    ),
    "keys of another architecture": (
        HEAD + '[platform]\nmodel = "coprocessor"\nlatency = 0\ninterval = 5\n' + TASK,
        ['[platform] interval: expected model = "software" with it, found model = "coprocessor"'],
    ),
    "strange timer": (
        HEAD + '[platform]\nmodel = "software"\ninterval = 5\ntimer = "loose"\n' + TASK,
        ['[platform] timer: unknown timer "loose"; expected one of rearm, fixed'],
    ),
    "interval of nothing": (
        HEAD + '[platform]\nmodel = "software"\ninterval = 0\n' + TASK,
        ['[platform] interval: expected a positive time such as "10ms", found 0'],
    ),
    "interval between ticks": (
        HEAD + '[platform]\nmodel = "software"\ninterval = "250us"\n' + TASK,
        [
            '[platform] interval: expected a multiple of the resolution "1ms", found "250us"; '
            'resolution = "250us" would do'
        ],
    ),
    "default latency between ticks": (
        HEAD + '[platform]\nmodel = "coprocessor"\n' + TASK,
        [
            '[platform] latency: missing, and the default "20us" is no multiple of the resolution "1ms"; '
            "give one, for instance latency = 1"
        ],
    ),
    "platform that is no table": (
        "schema = 1\nplatform = 3\n" + TASK,
        ["platform: expected a table, found 3; write [platform]"],
    ),
    "huge time": (
        task_with("period", "9" * 50),
        ['[[task]] "A" period: expected at most 4611686018427387903 ticks, found a number of 167 bits'],
    ),
    "times between ticks": (
        HEAD + TASK.replace("= 5", '= "2.5ms"').replace("= 2\n", '= "0.75ms"\n'),
        [
            '[[task]] "A" period: expected a multiple of the resolution "1ms", found "2.5ms"; '
            'resolution = "250us" would do',
            '[[task]] "A" wcet: expected a multiple of the resolution "1ms", found "0.75ms"; '
            'resolution = "250us" would do',
        ],
    ),
    "time below 1 ns": (
        task_with("wcet", '"0.5ns"'),
        ['[[task]] "A" wcet: expected a multiple of the resolution "1ms", found "0.5ns"; the finest is 1ns'],
    ),
    # [[task]]
    "no wcet": (
        HEAD + TASK.replace("wcet = 2\n", ""),
        ['[[task]] "A" wcet: missing; every task needs one, for instance wcet = "2ms"'],
    ),
    "no period": (
        HEAD + TASK.replace("period = 5\n", ""),
        [
            '[[task]] "A" period: missing; every task needs one, for instance period = "10ms", '
            "or min_separation, or arrivals"
        ],
    ),
    "no name": (
        HEAD + TASK.replace('name = "A"\n', ""),
        ['[[task]] number 1 name: missing; every task needs one, for instance name = "sensor"'],
    ),
    "empty name": (
        task_with("name", '""'),
        ['[[task]] "" name: expected a name of printable characters, found ""'],
    ),
    "name of two lines": (
        task_with("name", '"a\\nb"'),
        ['[[task]] "a\\nb" name: expected a name of printable characters, found "a\\nb"'],
    ),
    "name that is a number": (
        task_with("name", "7"),
        ['[[task]] number 1 name: expected a name such as "sensor", found 7'],
    ),
    "long name": (
        task_with("name", '"' + "x" * 70 + '"'),
        [f'[[task]] "{"x" * 56}... name: expected at most 64 characters, found 70'],
    ),
    "name twice": (
        HEAD + TASK + TASK,
        ['[[task]] "A" name: expected a name of its own, found that of another task'],
    ),
    "misspelt key": (task("perod = 3"), ['[[task]] "A" perod: unknown key; did you mean "period"?']),
    "strange keys": (
        task('self = 1\n"a b\\n" = 3'),
        [
            f'[[task]] "A" self: unknown key; expected one of {TASK_KEYS}',
            f'[[task]] "A" "a b\\n": unknown key; expected one of {TASK_KEYS}',
        ],
    ),
    "later keys": (
        task("affinity = [0]"),
        [
            '[[task]] "A" affinity: this key is not supported by this version yet',
        ],
    ),
    "priority below zero": (
        task("priority = -1"),
        ['[[task]] "A" priority: expected a priority from 0 to 2147483647, found -1'],
    ),
    "priority too large": (
        task("priority = 2147483648"),
        ['[[task]] "A" priority: expected a priority from 0 to 2147483647, found 2147483648'],
    ),
    "priority as a word": (
        task('priority = "high"'),
        ['[[task]] "A" priority: expected a priority from 0 to 2147483647, found "high"'],
    ),
    "threshold below priority": (
        task("priority = 4\nthreshold = 3"),
        ['[[task]] "A" threshold: expected at least the priority 4, found 3'],
    ),
    "threshold under edf": (
        system('policy = "edf"') + "threshold = 3\n",
        ['[[task]] "A" threshold: found a priority, and the policy "edf" over this task has none; name a task instead'],
    ),
    "threshold of a non-preemptive task": (
        task('threshold = 3\npreemption = "non-preemptive"'),
        ['[[task]] "A" threshold: expected none with preemption = "non-preemptive", found 3'],
    ),
    "unknown preemption": (
        task('preemption = "cooperative"'),
        ['[[task]] "A" preemption: unknown preemption "cooperative"; expected one of preemptive, non-preemptive'],
    ),
    "unknown class": (
        task('class = "firm"'),
        ['[[task]] "A" class: unknown class "firm"; expected one of hard, soft, none'],
    ),
    "server without servers": (
        task('server = "S1"'),
        ['[[task]] "A" server: unknown server "S1"; there is no [[server]] in this task set'],
    ),
    "unknown server among many with long names": (
        task('server = "x"') + "".join(f'[[server]]\nname = "b{i:059}"\nperiod = 9\nbudget = 1\n' for i in range(12)),
        [
            '[[task]] "A" server: unknown server "x"; expected one of '
            + ", ".join(f"b{i:059}" for i in range(9))
            + " and 3 more"
        ],
    ),
    "unknown server beside one with a broken name": (
        task('server = "x"') + SERVER.replace("S1", "a\\nb"),
        [
            '[[server]] "a\\nb" name: expected a name of printable characters, found "a\\nb"',
            '[[task]] "A" server: unknown server "x"; expected one of a\\nb',
        ],
    ),
    "unknown server": (
        task('server = "Server1"') + SERVER.replace("S1", "Server2"),
        ['[[task]] "A" server: unknown server "Server1"; did you mean "Server2"?'],
    ),
    # [[server]]
    "no budget": (
        HEAD + TASK + SERVER.replace("budget = 2\n", ""),
        ['[[server]] "S1" budget: missing; every server needs one, for instance budget = "10ms"'],
    ),
    "budget above period": (
        server_with("budget", "5"),
        ['[[server]] "S1" budget: expected at most the period 4, found 5'],
    ),
    "zero budget": (
        server_with("budget", "0"),
        ['[[server]] "S1" budget: expected a positive time such as "10ms", found 0'],
    ),
    "misspelt kind": (
        server('kind = "deferable"'),
        ['[[server]] "S1" kind: unknown kind "deferable"; did you mean "deferrable"?'],
    ),
    "unknown kind": (
        server('kind = "idle"'),
        ['[[server]] "S1" kind: unknown kind "idle"; did you mean "idling"?'],
    ),
    "kind with deadlines under priorities": (
        server('kind = "cbs"'),
        ['[[server]] "S1" kind: expected a kind without deadlines under "fp", found "cbs"; it needs edf or rbe'],
    ),
    "task with the name of what an idling server does": (
        HEAD
        + '[[task]]\nname = "idle"\nperiod = 5\nwcet = 1\n'
        + '[[server]]\nname = "S1"\nperiod = 5\nbudget = 1\nkind = "idling"\n',
        ['[[task]] "idle" name: expected another name: "idle" is what an idling server does without work'],
    ),
    "policy of a server": (
        server('policy = "edd"'),
        ['[[server]] "S1" policy: unknown policy "edd"; did you mean "edf"?'],
    ),
    "task key in a server": (
        server("wcet = 2"),
        [
            '[[server]] "S1" wcet: unknown key; expected one of '
            "name, period, budget, kind, priority, policy, offset, parent"
        ],
    ),
    "unknown parent": (
        server('parent = "S9"'),
        ['[[server]] "S1" parent: unknown server "S9"; expected one of S1'],
    ),
    "its own parent": (
        server('parent = "S1"'),
        ['[[server]] "S1" parent: expected a chain that ends at the root, found "S1" in "S1"'],
    ),
    "ring of parents": (
        server('parent = "S2"') + SERVER.replace("S1", "S2") + 'parent = "S1"\n',
        ['[[server]] "S1" parent: expected a chain that ends at the root, found "S1" in "S2" in "S1"'],
    ),
    "server called tick": (
        server_with("name", '"tick"'),
        ['[[server]] "tick" name: expected another name: "tick" is the first column of a file of budgets'],
    ),
    "problems of many tables": (
        system("cpus = 400").replace("wcet = 2", 'wcet = "2 parsecs"\nserver = "S1"')
        + TASK.replace("A", "B")
        + 'server = "S2"\n'
        + SERVER
        + "period2 = 1\n",
        [
            "[system] cpus: expected a number of processors from 1 to 64, found 400",
            f'[[task]] "A" wcet: expected a positive time such as "10ms", found "2 parsecs"; {TIME}',
            '[[server]] "S1" period2: unknown key; did you mean "period"?',
        ],
    ),
    "sharing servers whose parent is wrong": (
        HEAD
        + TASK
        + 'server = "S1"\nbody = ["lock R", "run 1", "unlock R"]\n'
        + SERVER
        + 'parent = "S2"\n'
        + SERVER.replace("S1", "S2")
        + "colour = 1\n"
        + '[[resource]]\nname = "R"\nprotocol = "hsrp"\n',
        [
            '[[server]] "S2" colour: unknown key; expected one of name, period, budget, kind, priority, policy, '
            "offset, parent"
        ],
    ),
    "problems in and between tables": (
        HEAD + TASK + "affinity = 1\n" + TASK.replace("A", "B") + 'server = "S2"\n' + SERVER + "period2 = 1\n",
        [
            '[[task]] "A" affinity: this key is not supported by this version yet',
            '[[server]] "S1" period2: unknown key; did you mean "period"?',
            '[[task]] "B" server: unknown server "S2"; expected one of S1',
        ],
    ),
}


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(main.app, ["run", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gives_its_exact_lines_and_exit_status_2(name: str) -> None:
    text, lines = BAD[name]
    Path("iot.toml").write_text(text)
    assert run("iot.toml") == (2, "", "".join(f"iot.toml: {line}\n" for line in lines))


def test_a_file_that_is_not_there_is_named() -> None:
    assert run("none.toml") == (2, "", "none.toml: cannot read: No such file or directory\n")


def test_a_folder_is_no_file() -> None:
    Path("folder").mkdir()
    assert run("folder") == (2, "", "folder: cannot read: Is a directory\n")


def test_a_file_that_is_not_utf_8_is_said_to_be_so_with_the_place() -> None:
    Path("iot.toml").write_bytes(b"schema = 1 # caf\xe9\n")
    assert run("iot.toml") == (2, "", "iot.toml: not UTF-8 text at byte 16\n")


def test_a_byte_order_mark_is_welcome() -> None:
    Path("iot.toml").write_bytes(b"\xef\xbb\xbf" + (HEAD + TASK).encode())
    assert run("iot.toml")[0] == 0


def test_an_input_error_says_in_fields_what_it_says_in_words() -> None:
    Path("iot.toml").write_text(task_with("period", '"10 parsecs"'))
    with pytest.raises(takt.InputError) as caught:
        takt.load("iot.toml")
    message = f'expected a positive time such as "10ms", found "10 parsecs"; {TIME}'
    assert caught.value.problems == (
        Problem(message, "wrong-unit", file="iot.toml", table="task", entity="A", number=1, key="period"),
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--policy", "edff"], '--policy: unknown policy "edff"; did you mean "edf"?'),
        (["--policy", "fp,"], f'--policy: unknown policy ""; expected one of {POLICIES}'),
        (["--horizon", "soon"], f'--horizon: expected a positive time such as "10ms", found "soon"; {TIME}'),
        (["--horizon", "0"], '--horizon: expected a positive time such as "10ms", found 0'),
        (
            ["--horizon", "0.5ms"],
            'good.toml: --horizon: expected a multiple of the resolution "1ms", found "0.5ms"; '
            'resolution = "500us" would do',
        ),
        (["--policy", "fp,edf", "--jobs", "J.csv"], "--jobs: expected one file and one policy, found 2 runs"),
        (["good.toml", "--trace", "T.takt"], "--trace: expected one file and one policy, found 2 runs"),
        (["--segments", "none/S.csv"], "none/S.csv: cannot write: No such file or directory"),
        (["--jobs", "none/J.csv"], "none/J.csv: cannot write: No such file or directory"),
        (["--budgets", "none/B.csv"], "none/B.csv: cannot write: No such file or directory"),
        (["--trace", "none/T.takt"], "none/T.takt: cannot write: No such file or directory"),
    ],
)
def test_a_bad_option_is_named(arguments: list[str], line: str) -> None:
    Path("good.toml").write_text(HEAD + TASK)
    status, _, errors = run("good.toml", *arguments)
    assert (status, errors) == (2, line + "\n")


def test_a_policy_that_does_not_fit_the_file_is_refused() -> None:
    Path("good.toml").write_text(task("threshold = 3"))
    line = '[[task]] "A" threshold: found a priority, and the policy "edf" over this task has none; name a task instead'
    assert run("good.toml", "--policy", "edf") == (2, "", f"good.toml: {line}\n")


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_file_is_simulated_or_refused_but_never_ends_in_a_traceback(seed: int) -> None:
    source = random.Random(seed)
    example = EXAMPLES / source.choice(["iot_node.toml", "servers.toml", "smallest.toml"])
    text = bytearray(example.read_bytes())
    for _ in range(source.randint(1, 8)):
        place = source.randrange(len(text))
        text[place : place + source.randint(0, 3)] = bytes(
            source.choices(b'"=[]{}.-#\n0789msxe,\xff', k=source.randint(0, 2))
        )
    Path("damaged.toml").write_bytes(text)
    status, output, errors = run("damaged.toml", "--horizon", "200")
    assert (status, bool(output), bool(errors)) in ((0, True, False), (2, False, True))
    assert all(line.startswith("damaged.toml: ") or "--horizon" in line for line in errors.splitlines())


def test_the_longest_separation_without_arrivals_is_taken() -> None:
    Path("good.toml").write_text(source("min_separation = 2305843009213693951"))
    assert run("good.toml", "--horizon", "10")[0] == 0
