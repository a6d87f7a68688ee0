#!/usr/bin/env python3
"""Computes each claim of `unspool findings` once more, from what `slices`, `dump` and `info` print.

    claims.py --cli target/release/unspool [--only TEXT] [-v] FILE OR FOLDER..

A number in a sentence that is no claim is wrong, too. Prints what is wrong, and last how many
claims and files there were; exit status 1 if anything is wrong or not compared. Kinds and quantities
that `recomputed` does not know are listed as not compared. docs/findings.md defines them.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

from recomputed import common
from recomputed.calls import Calls
from recomputed.common import lines, near
from recomputed.drawn import Drawn
from recomputed.steps import Blocks, Steps
from recomputed.values import Values

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cli", required=True)
parser.add_argument("--only", default="")
parser.add_argument("--most", type=int, default=40_000_000, help="bytes of the largest file that is tried")
parser.add_argument("-v", action="store_true")
parser.add_argument("paths", nargs="+")
arguments = parser.parse_args()
common.CLI = arguments.cli

SUFFIXES = (".xray", ".trace", ".frames", ".frames.gz", ".sqlite")


def room(path, kinds):
    if path.endswith(".xray"):
        return Calls(path)
    if ".frames" in path:
        return Steps(path)
    if path.endswith(".sqlite"):
        return Blocks(path)
    return Values(path) if kinds & {"relation", "pointer", "divisor", "wrap", "no-progress", "constant", "once", "type-change"} else Drawn(path, kinds)


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


def is_right(claim, true, is_about):
    if isinstance(true, str):
        return False
    if claim["quantity"] == "address":
        # A float has fewer digits than an address.
        return claim["text"] == hex(true)
    return near(claim["value"], true, 0.01 if is_about else 0 if isinstance(true, int) else 1e-6)


def compared(trace, finding, skipped):
    wrong = []
    left = unclaimed(finding)
    if left:
        wrong.append(f"a number is no claim: {left.strip()}")
    for claim in finding["claims"]:
        true = trace.value(finding, claim)
        if true is None:
            skipped[finding["kind"], claim["quantity"]] += 1
        elif not is_right(claim, true, "about" in finding["sentence"]):
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
        except ValueError:
            # Not a trace, or refused with a sentence.
            continue
        except subprocess.TimeoutExpired:
            skipped["any", f"claims of {path}, for the time that it takes"] += 1
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
    return wrong > 0 or claims == 0 or sum(skipped.values()) > 0


sys.exit(main())
