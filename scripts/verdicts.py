#!/usr/bin/env python3
"""Measures how often `unspool compare` is right about real recordings.

    scripts/verdicts.py --cli target/release/unspool [--corpus ../shared/corpus] [-v]

Found: recordings of one program are compared in pairs, after the self times of one function of the second have been made a
tenth longer, or a tenth shorter. A function with at least 1,000 calls and a median of at least 1 us must be found in 95 of 100
pairs. False: in pairs of unchanged recordings, at most one function in 200 may be slower or faster. Exits with 1 otherwise,
and with 0 if the corpus is missing, saying so.

Recordings are the XRay logs of corpus/compare by program, and the threads of corpus/xray/large, each as a log of its own.
"""
import argparse, collections, json, os, struct, subprocess, sys, tempfile

HEADER = 32
METADATA = 16
# Kinds of metadata records of FDR logs, and of function records.
NEW_BUFFER, NEW_CPU, TSC_WRAP, CUSTOM_EVENT, EXTENTS, TYPED_EVENT = 0, 2, 3, 5, 7, 8
ENTER, EXIT, TAIL_EXIT, ENTER_ARGUMENT = range(4)


def records(log):
    """Offset and length of each record, with the data that follows some."""
    at = HEADER
    while at < len(log):
        if not log[at] & 1:
            size = 8
        else:
            kind = log[at] >> 1
            size = METADATA + (struct.unpack_from("<i", log, at + 1)[0] if kind in (CUSTOM_EVENT, TYPED_EVENT) else 0)
        yield at, size
        at += size


def lengthened(log, function, factor):
    """The log as if the self times of one function had been this many times as long."""
    out = bytearray(log)
    stacks = collections.defaultdict(list)
    latest = {}
    extra = collections.Counter()
    thread = before = shifted = None
    for at, _ in records(log):
        is_metadata = log[at] & 1
        kind = log[at] >> 1 if is_metadata else log[at] >> 1 & 7
        if is_metadata and kind == NEW_BUFFER:
            thread = struct.unpack_from("<i", log, at + 1)[0]
            before = shifted = None
        absolute = {NEW_CPU: at + 3, TSC_WRAP: at + 1}.get(kind) if is_metadata else None
        if absolute is not None:
            now = struct.unpack_from("<Q", log, absolute)[0]
        elif is_metadata:
            if kind in (CUSTOM_EVENT, TYPED_EVENT):
                raise ValueError("logs with events are not supported")
            continue
        else:
            now = before + struct.unpack_from("<I", log, at + 4)[0]
        stack = stacks[thread]
        if stack and stack[-1] == function:
            extra[thread] += (now - latest[thread]) * (factor - 1)
        latest[thread] = now
        moved = now + round(extra[thread])
        if absolute is not None:
            struct.pack_into("<Q", out, absolute, moved)
        else:
            struct.pack_into("<I", out, at + 4, moved - shifted)
            number = struct.unpack_from("<I", log, at)[0] >> 4
            if kind in (ENTER, ENTER_ARGUMENT):
                stack.append(number)
            elif number in stack:
                while stack.pop() != number:
                    pass
        before, shifted = now, moved
    return bytes(out)


def by_thread(log):
    """A log for each thread with more than a thousand records."""
    parts = collections.defaultdict(bytearray)
    thread = extents = None
    for at, size in records(log):
        record = log[at : at + size]
        kind = record[0] >> 1 if record[0] & 1 else None
        if kind == EXTENTS:
            extents = record
            continue
        if kind == NEW_BUFFER:
            thread = struct.unpack_from("<i", log, at + 1)[0]
            parts[thread] += extents
        parts[thread] += record
    return [log[:HEADER] + part for part in parts.values() if len(part) > 8000]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--cli", required=True)
    parser.add_argument("--corpus", default=os.path.join(here, "..", "..", "shared", "corpus"))
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    folder = os.path.join(given.corpus, "compare", "xray")
    if not os.path.isdir(folder):
        print("skipped: the corpus of recordings is missing")
        return 0

    def ask(*args, status=(0,)):
        done = subprocess.run([given.cli, *args], capture_output=True)
        if done.returncode not in status:
            raise SystemExit(f"{args}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)

    def read(name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    programs = {
        "first": [read(f"v1-{i}.xray") for i in range(1, 9)],
        "second": [read(f"v2-{i}.xray") for i in range(1, 4)],
    }
    large = os.path.join(given.corpus, "xray", "large", "threads-20MB.xray.zst")
    if os.path.exists(large):
        whole = subprocess.run(["zstd", "-dc", large], capture_output=True)
        if whole.returncode == 0:
            programs["threads"] = by_thread(whole.stdout)
    found, hidden, false, judged = collections.Counter(), collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as scratch:

        def file(name, log):
            path = os.path.join(scratch, name)
            with open(path, "wb") as out:
                out.write(log)
            return path

        for program, logs in programs.items():
            paths = [file(f"{program}-{i}.xray", log) for i, log in enumerate(logs)]
            known = [{row["id"]: row for row in ask("stats", path, "--json")["functions"]} for path in paths]
            frequency = struct.unpack_from("<Q", logs[0], 8)[0]
            for j, log in enumerate(logs):
                eligible = [
                    id
                    for id, row in known[j].items()
                    if row["count"] >= 1000 and row["median"] >= frequency / 1e6 and row["self"] / row["count"] >= frequency / 1e7
                ]
                for i, path in enumerate(paths):
                    if i != j:
                        for row in ask("compare", path, paths[j], "--json", status=(0, 1))["functions"]:
                            judged += 1
                            if row["verdict"] in ("slower", "faster"):
                                false.append((program, i, j, row["name"], row["verdict"], row["factor"]))
                for function in eligible:
                    for factor, verdict in ((1.1, "slower"), (0.9, "faster")):
                        changed = file("changed.xray", lengthened(log, function, factor))
                        for i, path in enumerate(paths):
                            rows = ask("compare", path, changed, "--json", status=(0, 1))["functions"]
                            row = next(row for row in rows if row["name"] == f"#{function}")
                            kind = program, verdict, "itself" if i == j else "another"
                            (found if row["verdict"] == verdict else hidden)[kind] += 1
                            if row["verdict"] != verdict and given.v:
                                print(f"{kind} {i} {j} {row['name']}: {row['verdict']}, {row['confidence']:.4f}, factor {row['factor']:.4f}")
                            for other in rows:
                                if other is not row:
                                    judged += 1
                                    if other["verdict"] in ("slower", "faster"):
                                        false.append((program, i, j, other["name"], other["verdict"], other["factor"]))
    for kind in sorted({*found, *hidden}):
        print(f"{kind[0]}: a tenth {kind[1]} than in {kind[2]}: found in {found[kind]} of {found[kind] + hidden[kind]}")
    for case in false if given.v else []:
        print("false:", *case)
    cases, right = sum(found.values()) + sum(hidden.values()), sum(found.values())
    print(f"found {right} of {cases}; {len(false)} false verdicts on {judged} functions")
    return int(right < 0.95 * cases or len(false) > judged / 200)


sys.exit(main())
