#!/usr/bin/env python3
"""Computes each claim of `unspool findings` once more, from what `slices`, `dump` and `info` print.

    claims.py --cli target/release/unspool [--only TEXT] [-v] FILE OR FOLDER..

A number in a sentence that is no claim is wrong, too. Prints what is wrong, and last how many
claims and files there were; exit status 1 if anything is wrong or nothing was compared. Kinds and
quantities that this file does not know are listed as not compared. docs/findings.md defines them.
"""

import argparse
import bisect
import collections
import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cli", required=True)
parser.add_argument("--only", default="")
parser.add_argument("--most", type=int, default=40_000_000, help="bytes of the largest file that is tried")
parser.add_argument("-v", action="store_true")
parser.add_argument("paths", nargs="+")
arguments = parser.parse_args()

SUFFIXES = (".xray", ".trace", ".frames", ".frames.gz", ".sqlite")


def lines(*command):
    done = subprocess.run([arguments.cli, *command], capture_output=True, timeout=120)
    return done.stdout.decode(errors="replace").splitlines()


def near(told, true, tolerance=1e-9):
    return abs(told - true) <= tolerance * max(abs(true), 1e-12)


def median(values):
    """The least value that half of them do not exceed."""
    return sorted(values)[max(0, -(-len(values) // 2) - 1)] if values else 0


class Calls:
    """The calls of an XRay log."""

    def __init__(self, path):
        self.info = json.loads("\n".join(lines("info", path, "--json")) or "{}")
        rows = [json.loads(line) for line in lines("slices", path, "--json", "--limit", "0")]
        self.rows = [row for row in rows if "start" in row and row.get("kind", "call") == "call"]
        self.below = collections.defaultdict(list)
        self.of = collections.defaultdict(list)
        self.tracks = collections.defaultdict(list)
        for row in self.rows:
            self.tracks[row["track"]].append(row)
            self.of[row["name"]].append(row)
        for track in self.tracks.values():
            track.sort(key=lambda row: (row["start"], row["depth"]))
            stack = []
            for row in track:
                while stack and stack[-1]["depth"] >= row["depth"]:
                    stack.pop()
                if stack:
                    self.below[id(stack[-1])].append(row)
                stack.append(row)
        starts = [row["start"] for row in self.rows]
        ends = [row["end"] for row in self.rows]
        self.length = max(ends) - min(starts) if starts else 1

    def whole(self, name):
        return sorted((row for row in self.of[name] if not row["flags"]), key=lambda row: row["start"])

    def own(self, row):
        return row["dur"] - sum(callee["dur"] for callee in self.below[id(row)])

    def gap(self, row):
        latest, longest = row["start"], 0
        for callee in self.below[id(row)]:
            longest = max(longest, callee["start"] - latest)
            latest = max(latest, callee["end"])
        return max(longest, row["end"] - latest)

    def gaps(self, thread):
        """Where records of a thread are missing, after its first call."""
        first = min(row["start"] for row in self.tracks[thread])
        for track in self.info.get("tracks", []):
            if track["name"] == thread:
                pairs = zip(track["gaps"][::2], track["gaps"][1::2])
                return [(begin, end) for begin, end in pairs if begin > first]
        return []

    def outer(self, thread):
        rows = self.tracks[thread]
        return rows[0]["name"], rows[0]["start"], max(row["end"] for row in rows)

    def others(self, thread):
        """The lengths of the other threads that begin in the same function, and when the last of them ends."""
        name = self.outer(thread)[0]
        rest = [self.outer(other) for other in self.tracks if other != thread and self.tracks[other]]
        rest = [it for it in rest if it[0] == name]
        return [it[2] - it[1] for it in rest], max((it[2] for it in rest), default=0)

    def waits(self, name, other):
        """The calls of a function that last until a call of another one ends in another thread."""
        ends = sorted((row["end"], row["start"], row["track"]) for row in self.of[other] if not row["flags"])
        spans = []
        for row in self.whole(name):
            close = int(row["dur"] * 0.05)
            begin = bisect.bisect_left(ends, (row["end"] - close,))
            for end, start, track in ends[begin:]:
                if end > row["end"] + close:
                    break
                if track != row["track"] and start <= row["start"] + row["dur"] // 2:
                    spans.append((row["start"], row["end"]))
                    break
        return spans

    def value(self, finding, claim):
        """The true value of a claim. None if there is nothing to compare with."""
        names, quantity, of, at = finding["names"], claim["quantity"], claim["of"], claim["at"]
        here = next((row for row in self.of[names[0]] if row["start"] == finding["at"] and row["end"] == (finding["end"] or finding["at"])), None)
        if finding["kind"] == "slow-call":
            if here is None:
                return "no such call"
            callees = [row for row in self.below[id(here)] if of in ("", row["name"])]
            tops = [row for row in self.of[of] if row["start"] == at]
            return {
                "time": lambda: here["dur"],
                "self": lambda: self.own(here),
                "gap": lambda: self.gap(here),
                "median": lambda: median([row["dur"] for row in self.of[of]]),
                "times": lambda: here["dur"] / median([row["dur"] for row in self.of[names[0]]]),
                "callees": lambda: len(callees),
                "time-of-callees": lambda: sum(row["dur"] for row in callees),
                "share-of-call": lambda: max(here["dur"] / row["dur"] for row in tops),
                "levels": lambda: here["depth"] - tops[0]["depth"],
                "alike": lambda: len({start for start in finding["places"] if any(row["start"] == start for row in self.of[names[0]])}) - 1,
            }[quantity]()
        if finding["kind"] == "recursion":
            return self.levels(names[0], lambda _: True)
        if finding["kind"] == "call-burst":
            starts = [row["start"] for row in self.whole(names[0])]
            begin, end = finding["at"], finding["end"]
            width = -(-(max(row["end"] for row in self.whole(names[0])) - min(starts) + 1) // 64)
            inside = sum(begin <= start < end for start in starts)
            if (begin - min(starts)) % width or (end - begin) % width:
                return "it begins or ends within a part"
            elsewhere = (len(starts) - inside) * (end - begin) / (64 * width - (end - begin))
            return {"calls-in-burst": inside, "length-of-burst": end - begin, "calls-elsewhere": elsewhere, "times": inside / max(elsewhere, 1)}[quantity]
        rows = self.whole(names[0]) if names[0] in self.of else []
        durations = [row["dur"] for row in self.of[names[0]]]
        if finding["kind"] == "growth":
            parts = [[self.own(row) for index, row in enumerate(rows) if index * 8 // len(rows) == part] for part in range(8)]
            first, last = median(parts[0]), median(parts[-1])
            return {"median-self-first-eighth": first, "median-self-last-eighth": last, "times": last / max(first, 1)}[quantity]
        if finding["kind"] == "short-calls":
            every = len(self.of[names[0]])
            return {"calls": every, "share-of-calls": every / len(self.rows), "median": median(durations)}[quantity]
        if finding["kind"] == "repeated-work":
            middle = median(durations)
            spread = next(it["value"] for it in finding["claims"] if it["quantity"] == "spread")
            within = sum(abs(it - middle) <= spread * middle for it in durations)
            if quantity == "spread":
                return spread if within >= 0.9 * len(durations) else f"{within} of {len(durations)} are within it"
            return {"calls": len(durations), "median": middle, "calls-within": within}[quantity]
        if finding["kind"] == "imbalance":
            (name, start, end), (others, latest) = self.outer(names[0]), self.others(names[0])
            return {
                "length-of-thread": end - start,
                "threads": len(others),
                "least-of-others": min(others),
                "most-of-others": max(others),
                "share-alone": (end - latest) / self.length,
            }[quantity]
        if finding["kind"] == "lost-records":
            gaps = [end - begin for begin, end in self.gaps(names[0])]
            return {"lost": sum(gaps), "gaps": len(gaps), "longest-gap": max(gaps), "share-lost": sum(gaps) / self.length}[quantity]
        if finding["kind"] == "waits":
            spans = self.waits(names[0], names[1])
            time = sum(end - start for start, end in spans)
            stretch = max(end for _, end in spans) - min(start for start, _ in spans)
            return {"waits": len(spans), "time-of-waits": time, "share-of-stretch": min(1.0, time / stretch)}[quantity]
        return None

    def levels(self, name, counts):
        """The most calls of a function that are open at the same time in one thread, of rows that count."""
        most = 0
        for track in self.tracks.values():
            open_ = []
            for row in track:
                open_ = [it for it in open_ if it["end"] > row["start"] and it["depth"] < row["depth"]] + [row]
                if row["name"] == name and counts(row):
                    most = max(most, sum(it["name"] == name for it in open_))
        return most

    def causes(self, finding):
        """What is wrong with what a sentence says besides its numbers, or ''."""
        if finding["kind"] == "recursion":
            def is_elsewhere(row):
                return row["track"] not in finding["names"][1:] + [next(iter(self.tracks))] or not finding["at"] <= row["start"] < finding["end"]
            others = [name for name in self.of if name != finding["names"][0] and self.levels(name, is_elsewhere) > 1]
            return f"{others[0]} calls itself elsewhere" if others else ""
        if finding["kind"] == "repeated-work":
            rows = self.of[finding["names"][0]]
            same = {(row["depth"], tuple(callee["name"] for callee in self.below[id(row)])) for row in rows}
            return "" if len(same) == 1 else f"its calls have {len(same)} lists of callees"
        if finding["kind"] == "short-calls":
            return "it calls something" if any(self.below[id(row)] for row in self.of[finding["names"][0]]) else ""
        if finding["kind"] != "slow-call":
            return ""
        figures = {it["quantity"]: it["value"] for it in finding["claims"]}
        excess = figures["time"] - figures.get("median", 0)
        shares = {"self": "its self time", "gap": "the longest time without callees"}
        for quantity, words in shares.items():
            if quantity in figures and figures[quantity] < excess / 2:
                return f"{words} is {figures[quantity] / figures['time']:.2%} of the call"
        here = next(row for row in self.of[finding["names"][0]] if row["start"] == finding["at"])
        largest = max((row["dur"] for row in self.below[id(here)]), default=0)
        if largest >= excess / 2:
            return f"one callee takes {largest / here['dur']:.2%} of it"
        return ""


class Values:
    """The points of a trace-db trace."""

    def __init__(self, path):
        points = [json.loads(line) for line in lines("dump", path, "--json")]
        self.points = [point for point in points if "statement" in point]

    def statement(self, finding):
        for name in finding["names"]:
            found = re.fullmatch(r"statement (\d+)", name)
            if found:
                return int(found[1])
        return None

    def at(self, statement):
        for number, point in enumerate(self.points):
            if point["statement"] == statement:
                yield number, {var["name"]: var for var in point["vars"]}

    def side(self, variables, name):
        if name.endswith(".size") and name[:-5] in variables:
            return variables[name[:-5]]["buffer_size"]
        return variables[name]["value"] if name in variables else None

    def value(self, finding, claim):
        names, quantity, of = finding["names"], claim["quantity"], claim["of"]
        statement = self.statement(finding)
        if finding["kind"] == "relation":
            low, high = names[:2]
            pairs = [(number, self.side(variables, low), self.side(variables, high)) for number, variables in self.at(statement)]
            pairs = [it for it in pairs if it[1] is not None and it[2] is not None]
            fails = [number for number, left, right in pairs if left > right]
            return {"holds": len(pairs) - len(fails), "points": len(pairs), "fails": len(fails), "position": fails[0]}[quantity]
        if finding["kind"] == "wrap":
            series = [(number, variables[names[0]]["value"]) for number, variables in self.at(statement) if names[0] in variables]
            falls = [(number, before, after) for (_, before), (number, after) in zip(series, series[1:]) if after < before]
            if quantity == "value":
                return falls[0][2] if claim["at"] is not None else falls[0][1]
            return {"position": falls[0][0], "wraps": len(falls)}[quantity]
        if finding["kind"] == "divisor":
            divisor, dividend, quotient = names[:3]
            zeros, holds = [], 0
            for number, variables in self.at(statement):
                values = [variables[it]["value"] if it in variables else None for it in (dividend, divisor, quotient)]
                if values[1] == 0:
                    zeros.append(number)
                elif None not in values:
                    result = abs(values[0]) // abs(values[1]) * (1 if (values[0] < 0) == (values[1] < 0) else -1)
                    holds += result == values[2]
            return {"points": len(zeros) if of == divisor else holds, "position": zeros[0]}[quantity]
        if finding["kind"] == "constant":
            values = [var["value"] for point in self.points for var in point["vars"] if var["name"] == names[0]]
            if len(set(values)) > 1:
                return f"it has {len(set(values))} values"
            return {"value": values[0], "points": len(values)}[quantity]
        if finding["kind"] == "once":
            counts = collections.Counter(point["statement"] for point in self.points)
            if quantity == "position":
                return next(number for number, point in enumerate(self.points) if f"statement {point['statement']}" == names[0])
            return min(count for count in counts.values() if count > 1)
        if finding["kind"] == "type-change":
            counts = collections.defaultdict(list)
            for number, point in enumerate(self.points):
                if point["statement"] == statement:
                    for var in point["vars"]:
                        if var["name"] == names[0]:
                            counts[var["type"]].append(number)
            if quantity == "position":
                return counts[names[1]][0]
            return len(counts[names[1] if claim["at"] is not None else names[2]])
        if finding["kind"] == "no-progress":
            latest, still = {}, []
            for number, point in enumerate(self.points):
                values = json.dumps(point["vars"])
                still.append(latest.get(point["statement"]) == values)
                latest[point["statement"]] = values
            begin = finding["at"]
            end = next((number for number in range(begin, len(still)) if not still[number]), len(still)) - 1
            if not still[begin] or still[begin - 1]:
                return "the stretch begins elsewhere"
            if quantity == "position":
                return end if claim["value"] != begin else begin
            return end - begin + 1
        if finding["kind"] == "pointer":
            stray = self.stray(names[0], "freed" in finding["sentence"], "before" in finding["sentence"])
            if not stray:
                return "no such pointer"
            address, size = stray[0][1]
            return {"position": stray[0][0], "points": len(stray), "buffer": address, "buffer-size": size}.get(quantity)
        return None

    def stray(self, name, is_freed, is_before):
        """The points at which a pointer is in a freed buffer, before one that it was in, or behind the end of one, with the buffer."""
        live, freed, was_in, found = {}, {}, set(), []
        for number, point in enumerate(self.points):
            for buffer in point["buffer_sizes"]:
                address, size = buffer
                if size == 0:
                    freed.update({address: live.pop(address)} if address in live else {})
                    continue
                live[address] = size
                was_in.discard(address)
                freed = {at: of for at, of in freed.items() if at + of <= address or at >= address + size}
            for var in point["vars"]:
                if var["name"] != name:
                    continue
                value = var["value"]
                below = max((at for at in live if at <= value), default=None)
                if var["buffer_size"] is not None:
                    was_in.add(below)
                    continue
                of_freed = max((at for at in freed if at <= value), default=None)
                above = min((at for at in live if at >= value), default=None)
                if of_freed is not None and value - of_freed < freed[of_freed]:
                    found += [(number, (of_freed, freed[of_freed]))] * is_freed
                elif above in was_in and above - value <= 64:
                    found += [(number, (above, live[above]))] * is_before
                elif below is not None and 0 < value - below - live[below] <= 64:
                    found += [(number, (below, live[below]))] * (not is_freed and not is_before)
        return found

    def causes(self, _):
        return ""


class Steps:
    """The steps of BAP frames."""

    def __init__(self, path):
        self.records = [json.loads(line) for line in lines("dump", path, "--json")]
        self.records = [record for record in self.records if "i" in record]
        self.addresses = [record.get("std_frame", {}).get("address") for record in self.records]
        self.counts = collections.Counter(address for address in self.addresses if address is not None)
        self.length = len(self.records)

    unit = "step"

    def executed(self, low, high):
        return sum(count for address, count in self.counts.items() if low <= address <= high)

    def spans(self, finding):
        return [int(it["text"], 16) for it in finding["claims"] if it["quantity"] == "address"]

    def value(self, finding, claim):
        quantity, addresses = claim["quantity"], self.spans(finding)
        if finding["kind"] == "hot-loop":
            low, high = addresses[:2]
            own, all_steps = self.executed(low, high), self.length
            return {"share-of-steps": own / all_steps, "iterations": self.starts(low), "steps-each": own / self.starts(low)}.get(quantity)
        if finding["kind"] == "burst":
            events = self.events(finding["names"][0])
            if events is None:
                return None
            inside = [step for step in events if finding["at"] <= step <= finding["end"]]
            length = finding["end"] - finding["at"]
            return {
                "events": len(inside),
                "length": length,
                "steps-each": round(length / len(inside)),
                "elsewhere": len(events) - len(inside),
            }.get(quantity)
        return self.more(finding, claim, addresses)

    def starts(self, address):
        return self.counts[address]

    def events(self, name):
        return [record["i"] for record in self.records if "exception_frame" in record] if name == "exceptions" else None

    def more(self, finding, claim, addresses):
        quantity, text = claim["quantity"], claim["text"]
        if finding["kind"] == "failing-call" and quantity == "position":
            return None
        if finding["kind"] in ("stray-return", "tainted-target"):
            first = finding["at"]
            thread = self.records[first]["std_frame"].get("thread_id")
            after = (record["std_frame"] for record in self.records[first + 1 :] if "std_frame" in record)
            reached = next((frame["address"] for frame in after if frame.get("thread_id") == thread), None)
            told = {"position": first if self.addresses[first] == addresses[0] else None, "address": None}
            if quantity == "address" and text == hex(addresses[0]):
                return self.addresses[first]
            if quantity == "address" and text == hex(addresses[1]):
                return reached
            return told.get(quantity)
        if finding["kind"] == "written-code" and quantity == "position":
            low, high = addresses[:2]
            if claim["at"] == finding["at"]:
                return next(step for step in range(len(self.addresses)) if self.is_in(step, low, high) and step >= finding["at"])
            return self.first_write(low, high)
        if finding["kind"] == "written-code" and quantity == "executed":
            low, high = addresses[:2]
            after = [step for step in range(finding["at"], len(self.addresses)) if self.addresses[step] is not None and low <= self.addresses[step] < high]
            return len(after)
        return None

    def is_in(self, step, low, high):
        return self.addresses[step] is not None and low <= self.addresses[step] < high

    def first_write(self, low, high):
        """The first step that writes a byte from `low` to before `high`."""
        for record in self.records:
            for operand in record.get("std_frame", {}).get("operand_post_list", {}).get("elem", []):
                memory = operand["operand_info_specific"].get("mem_operand")
                if memory and operand["operand_usage"]["written"]:
                    if memory["address"] < high and memory["address"] + operand["bit_length"] // 8 > low:
                        return record["i"]
        return None

    def causes(self, finding):
        if finding["kind"] == "tainted-target":
            return ""
        if finding["kind"] == "stray-return" and self.addresses[finding["at"]] != self.spans(finding)[0]:
            return "another instruction is at its step"
        return ""


class Blocks(Steps):
    """The runs of blocks of a REVEN database."""

    unit = "transition"

    def __init__(self, path):
        self.runs = [json.loads(line) for line in lines("dump", path, "--json")]
        self.runs = [run for run in self.runs if "block" in run]
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            blocks = database.execute("select rowid, pc, instruction_data from blocks")
            self.blocks = {number: (pc & (1 << 64) - 1, bytes(code)) for number, pc, code in blocks}
            try:
                self.interrupts = database.execute("select transition_id, number, is_hw from interrupts").fetchall()
            except sqlite3.Error:
                self.interrupts = []
        self.length = max((run["end"] for run in self.runs), default=0)
        self.counts, self.entered = collections.Counter(), collections.Counter()
        for run in self.runs:
            address = self.blocks.get(run["block"], (None, b""))[0]
            if address is not None:
                self.counts[address] += run["end"] - run["begin"]
                self.entered[address] += 1

    def starts(self, address):
        return self.entered[address]

    def events(self, name):
        vectors = {"page faults": (14, 0)}
        vector = re.fullmatch(r"(?:hardware )?interrupts (\d+)", name)
        number, is_hardware = vectors.get(name, (int(vector[1]) if vector else None, None))
        if number is None:
            return None
        return [at for at, of, hardware in self.interrupts if of == number and is_hardware in (None, hardware)]

    def more(self, finding, claim, addresses):
        if finding["kind"] == "written-code" and claim["quantity"] != "address":
            before, after = finding["places"][:2]
            runs = {run["begin"]: run["block"] for run in self.runs}
            old, new = runs[before], runs[after]
            count = collections.Counter(run["block"] for run in self.runs)
            changed = sum(left != right for left, right in zip(self.blocks[old][1], self.blocks[new][1]))
            return {"runs-before": count[old], "runs-after": count[new], "bytes-changed": changed, "position": after}.get(claim["quantity"])
        return None

    def causes(self, _):
        return ""


class Drawn:
    """The calls of an apitrace trace: its claims are counts that check_counts compares."""

    def __init__(self, path):
        pass

    def value(self, finding, claim):
        return None

    def causes(self, _):
        return ""


def room(path, kinds):
    if path.endswith(".xray"):
        return Calls(path)
    if ".frames" in path:
        return Steps(path)
    if path.endswith(".sqlite"):
        return Blocks(path)
    return Values(path) if kinds & {"relation", "pointer", "divisor", "wrap", "no-progress", "constant", "once", "type-change"} else Drawn(path)


def unclaimed(finding):
    """What a sentence says between its claims, without names, if a number is left in it."""
    said, left, position = finding["sentence"], [], 0
    for claim in finding["claims"]:
        # Not within a longer number.
        place = re.search(rf"(?<!\d){re.escape(claim['text'])}(?![\d])", said[position:])
        if not place:
            return f"{claim['text']} is not in the sentence"
        begin = position + place.start()
        left.append(said[position:begin])
        position = begin + len(claim["text"])
    left = " … ".join([*left, said[position:]])
    # Objects of OpenGL are named by numbers, and their facts follow in brackets.
    left = re.sub(r"(?i)\b(texture|buffer|framebuffer|renderbuffer|program|shader|sampler) \d+( “[^”]*”)?( \([^)]*\))?", " ", left)
    for name in sorted([*finding["names"], *(claim["of"] for claim in finding["claims"])], key=len, reverse=True):
        if name:
            left = re.sub(rf"(?<![\w#.]){re.escape(name)}(?![\w])", " ", left)
    return left if re.search(r"\d", left) else ""


def compared(trace, finding, skipped):
    wrong = []
    left = unclaimed(finding)
    if left:
        wrong.append(f"a number is no claim: {left.strip()}")
    for claim in finding["claims"]:
        true = trace.value(finding, claim)
        if true is None:
            skipped[finding["kind"], claim["quantity"]] += 1
        elif isinstance(true, str) or not near(claim["value"], true, 0.01 if "about" in finding["sentence"] else 1e-6):
            wrong.append(f"{claim['quantity']} of {claim['of']} is {true}, not {claim['value']}")
    cause = trace.causes(finding)
    return wrong + [cause] * bool(cause)


def files():
    for path in arguments.paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(SUFFIXES))


def main():
    claims = sentences = wrong = tried = refuted = 0
    skipped = collections.Counter()
    for path in files():
        if arguments.only not in path or os.path.getsize(path) > arguments.most:
            continue
        try:
            report = json.loads("\n".join(lines("findings", path, "--json", "--limit", "0")))
        except (ValueError, subprocess.TimeoutExpired):
            continue
        tried += 1
        refuted += report.get("refuted", 0)
        if report.get("refuted", 0):
            print(f"{path}: {report['refuted']} proposed that did not hold")
        if not report["findings"]:
            continue
        trace = room(path, {finding["kind"] for finding in report["findings"]})
        said = set()
        for finding in report["findings"]:
            sentences += 1
            claims += len(finding["claims"])
            bad = compared(trace, finding, skipped)
            bad += ["the same sentence twice"] * (finding["sentence"] in said)
            said.add(finding["sentence"])
            wrong += len(bad)
            if bad or arguments.v:
                print(f"{os.path.basename(path)}: {finding['kind']}: {finding['sentence']}")
            for it in bad:
                print(f"    {it}")
    for (kind, quantity), count in sorted(skipped.items()):
        print(f"not compared: {kind}, {quantity}: {count}")
    print(f"{tried} files, {sentences} sentences, {claims} claims, {sum(skipped.values())} not compared, {refuted} refuted, {wrong} wrong")
    return wrong > 0 or claims == 0


sys.exit(main())
