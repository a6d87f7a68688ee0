"""The calls of an XRay log."""

import bisect
import collections
import json

from recomputed.common import lines, median


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
