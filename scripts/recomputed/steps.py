"""The steps of BAP frames, and the runs of blocks of a REVEN database."""

import collections
import contextlib
import functools
import json
import re
import sqlite3

from recomputed.common import lines, near


SYSTEM_CALLS = {"0f05": ("rax", "rax"), "cd80": ("eax", "eax"), "010000d4": ("x8", "x0"), "000000ef": ("r7", "r0"), "00df": ("r7", "r0")}
STACK_POINTERS = ("rsp", "esp", "sp", "r13")
Stray = collections.namedtuple("Stray", "step address to expected is_overwritten")


def branch(code):
    """Whether an instruction of x86 is a "call" or a "return"."""
    code = code.lstrip(bytes([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF2, 0xF3, *range(0x40, 0x50)]))
    if code[:1] in (b"\xe8", b"\x9a") or (code[:1] == b"\xff" and code[1] >> 3 & 7 in (2, 3)):
        return "call"
    return "return" if code[:1] in (b"\xc2", b"\xc3", b"\xca", b"\xcb") else ""


def latest(items, is_wanted):
    """The position of the last one, or None."""
    return next((at for at in range(len(items) - 1, -1, -1) if is_wanted(items[at])), None)


class Flow:
    """Which calls are open at which jumps and returns. Of code of x86."""

    def __init__(self, executions):
        self.calls = collections.defaultdict(list)
        # By target: the jumps back to it, each with the function that the innermost open call is of.
        self.jumps = collections.defaultdict(list)
        self.strays = []
        for step, thread, address, code, slot, to in executions:
            behind, does, calls = address + len(code), branch(code), self.calls[thread]
            if does == "call":
                calls.append((behind, slot, to))
            elif does == "return" and to is not None:
                self.returned(step, calls, address, slot, to)
            elif to is not None and to != behind and 0 <= address - to <= 4096:
                self.jumps[to].append((address, calls[-1][2] if calls else None))

    def returned(self, step, calls, address, slot, to):
        at = latest(calls, lambda call: call[0] == to)
        if at is None and calls:
            at = latest(calls, lambda call: slot is not None and call[1] == slot)
            is_overwritten = at is not None
            if at is None and slot is not None and calls[-1][1] is not None:
                # A push and a return, in place of a jump.
                return
            at = len(calls) - 1 if at is None else at
            self.strays.append(Stray(step, address, to, calls[at][0], is_overwritten))
        if at is not None:
            del calls[at:]


def operands(frame):
    """What a step accesses: whether it writes that, the register or None, the address, the bytes."""
    for key in ("operand_pre_list", "operand_post_list"):
        for operand in frame.get(key, {}).get("elem", []):
            place = operand["operand_info_specific"]
            register = place.get("reg_operand", {}).get("name", "").lower() or None
            yield key == "operand_post_list", register, place.get("mem_operand", {}).get("address"), bytes.fromhex(operand.get("value", ""))


class Steps:
    """The steps of BAP frames."""

    def __init__(self, path):
        self.records = [json.loads(line) for line in lines("dump", path, "--json")]
        self.records = [record for record in self.records if "i" in record]
        self.addresses = [record.get("std_frame", {}).get("address") for record in self.records]
        self.counts = collections.Counter(address for address in self.addresses if address is not None)
        self.length = len(self.records)

    def executed(self, low, high):
        return sum(count for address, count in self.counts.items() if low <= address <= high)

    def spans(self, finding):
        return [int(it["text"], 16) for it in finding["claims"] if it["quantity"] == "address"]

    def value(self, finding, claim):
        quantity, addresses = claim["quantity"], self.spans(finding)
        if quantity == "address":
            true = self.true_addresses(finding)
            nth = [it is claim for it in finding["claims"] if it["quantity"] == "address"].index(True)
            return true if true is None or isinstance(true, str) else true[nth]
        if finding["kind"] == "hot-loop":
            low, high = addresses[:2]
            if not self.starts(low):
                return "its first address is not executed"
            own, all_steps = self.executed(low, high), self.length
            return {"share-of-steps": own / all_steps, "iterations": self.starts(low), "steps-each": own / self.starts(low)}.get(quantity)
        if finding["kind"] == "burst":
            return self.burst(finding, quantity)
        if finding["kind"] == "stray-return":
            stray = self.stray(finding)
            alike = [it.step for it in self.flow.strays if stray and it.address == stray.address]
            return {"position": alike[0], "times": len(alike)}.get(quantity) if alike else "no return at its step matches no call"
        return self.more(finding, claim, addresses)

    def true_addresses(self, finding):
        """The addresses of a sentence, in order: None if they are not known, or what is wrong."""
        if finding["kind"] == "hot-loop":
            jumps = self.flow.jumps.get(self.spans(finding)[0])
            if not jumps:
                return "nothing jumps back to the address"
            return [self.spans(finding)[0], max(address for address, _ in jumps), jumps[0][1]]
        if finding["kind"] == "stray-return":
            stray = self.stray(finding)
            return [stray.address, stray.to, stray.expected] if stray else "no return at its step matches no call"
        if finding["kind"] == "tainted-target":
            return [self.addresses[finding["at"]]]
        if finding["kind"] == "unwritten-read":
            reads = self.stretch(finding)
            return [min(it[1] for it in reads), max(it[2] for it in reads), self.addresses[reads[0][0]]] if reads else "no read begins there"
        return self.rewritten(finding) if finding["kind"] == "written-code" else None

    def stray(self, finding):
        return next((it for it in self.flow.strays if it.step == finding["at"]), None)

    def burst(self, finding, quantity):
        events = self.events(finding["names"][0])
        if events is None:
            return None
        inside = [step for step in events if finding["at"] <= step <= finding["end"]]
        if not inside or [inside[0], inside[-1]] != [finding["at"], finding["end"]]:
            return "no event is where it begins or ends"
        length = inside[-1] - inside[0]
        return {
            "events": len(inside),
            "length": length,
            "steps-each": int(length / len(inside) + 0.5),
            "elsewhere": len(events) - len(inside),
        }.get(quantity)

    def starts(self, address):
        return self.counts[address]

    def events(self, name):
        return [record["i"] for record in self.records if "exception_frame" in record] if name == "exceptions" else None

    @functools.cached_property
    def flow(self):
        return Flow(self.executions())

    def executions(self):
        """What is executed: the step, thread, address, code, where it puts or takes a return address, and where execution goes then, or None."""
        before = {}
        for record in self.records:
            frame = record.get("std_frame") or {}
            thread = next((it["thread_id"] for it in record.values() if isinstance(it, dict) and "thread_id" in it), None)
            if thread in before:
                yield (*before.pop(thread), frame.get("address"))
            code = bytes.fromhex(frame.get("rawbytes", ""))
            if code:
                wanted = {"call": True, "return": False}.get(branch(code))
                slots = [address for is_written, _, address, _ in operands(frame) if is_written == wanted and address is not None] if wanted is not None else []
                slot = (slots[-1] if wanted else slots[0]) if slots else None
                before[thread] = (record["i"], thread, frame["address"], code, slot)

    @functools.cached_property
    def unwritten(self):
        """Reads below where the stack began, of memory that nothing wrote before: step, first byte, end."""
        written, stacks, found = set(), {}, []
        for record in self.records:
            frame = record.get("std_frame")
            if frame is None:
                low = stacks.get(record.get("exception_frame", {}).get("thread_id"), (0, 0))[1]
                written.update(range(max(0, low - 4096 - 128), low))
                continue
            reads, given = [], []
            for is_written, register, address, value in operands(frame):
                if register in STACK_POINTERS:
                    now = int.from_bytes(value[:8], "little")
                    stacks[frame.get("thread_id")] = (stacks.get(frame.get("thread_id"), (now, now))[0], now)
                first, now = stacks.get(frame.get("thread_id"), (0, 0))
                if register and not is_written:
                    given.append(int.from_bytes(value[:8], "little"))
                if address is None:
                    continue
                its = range(address, address + len(value))
                if is_written:
                    written.update(its)
                    reads = [it for it in reads if it[1] >= its.stop or it[0] <= its.start]
                elif now - 128 <= address and its.stop <= first - 128 and 0 < len(value) <= 64 and written.isdisjoint(its):
                    reads.append((its.start, its.stop))
            found += [(record["i"], *it) for it in reads]
            if frame.get("rawbytes") in SYSTEM_CALLS:
                for pointer in given:
                    if now - 4096 <= pointer < first:
                        written.update(range(pointer, min(pointer + 4096, first)))
        return found

    def stretch(self, finding):
        """The reads of memory that nothing wrote, no more than 4096 steps apart, that begin where a finding is."""
        parts = []
        for read in self.unwritten:
            if not parts or read[0] - parts[-1][-1][0] > 4096:
                parts.append([])
            parts[-1].append(read)
        return next((part for part in parts if (part[0][0], part[-1][0]) == (finding["at"], finding["end"])), [])

    def rewritten(self, finding):
        """The first and last byte of the instructions that ran after a step wrote to them, near those of a finding."""
        pages = {address + at >> 12 for address in self.counts for at in (0, 15)}
        written, ran = set(), set()
        for record in self.records:
            frame = record.get("std_frame", {})
            code = range(frame.get("address", 0), frame.get("address", 0) + len(frame.get("rawbytes", "")) // 2)
            if code and not written.isdisjoint(code):
                ran.add((code.start, code.stop))
            for is_written, _, address, value in operands(frame):
                if is_written and address is not None and {address >> 12, address + len(value) >> 12} & pages:
                    written.update(range(address, address + len(value)))
        parts = []
        for low, high in sorted(ran):
            if not parts or low > parts[-1][1] + (1 << 16):
                parts.append([low, high])
            parts[-1][1] = max(parts[-1][1], high)
        return next((part for part in parts if part[0] <= self.addresses[finding["at"]] < part[1]), "no such code is executed there")

    def system_calls(self, number):
        """The steps of the calls of the system that have a number, with their results."""
        found = []
        for record in self.records:
            frame = record.get("std_frame", {})
            registers = SYSTEM_CALLS.get(frame.get("rawbytes"))
            if not registers:
                continue
            numbers = [int.from_bytes(value, "little") for is_written, name, _, value in operands(frame) if name == registers[0] and not is_written]
            results = [int.from_bytes(value, "little", signed=True) for is_written, name, _, value in operands(frame) if name == registers[1] and is_written]
            if numbers == [number] and results:
                found.append((record["i"], results[0]))
        return found

    def failing(self, finding, claim):
        calls = self.system_calls(int(finding["names"][0].split()[0]))
        errors = collections.Counter(result for _, result in calls if -4095 <= result < 0)
        error = next((error for error in errors if any(it == (finding["at"], error) for it in calls)), None)
        if error is None:
            return "no such call fails at its step"
        failures = [step for step, result in calls if result == error]
        if finding["end"] != failures[-1]:
            return f"the last failure is at {failures[-1]}"
        nth = [it is claim for it in finding["claims"] if it["quantity"] == "position"]
        position = failures[-nth.index(True)] if True in nth else None
        return {"failures": len(failures), "calls": len(calls), "result": error, "position": position}.get(claim["quantity"])

    def more(self, finding, claim, addresses):
        quantity = claim["quantity"]
        if finding["kind"] == "failing-call":
            return self.failing(finding, claim)
        if finding["kind"] == "unwritten-read":
            reads = self.stretch(finding)
            return {"reads": len(reads), "position": reads[0][0]}.get(quantity) if reads else "no read begins there"
        if finding["kind"] == "tainted-target":
            steps = self.tainted(self.addresses[finding["at"]])
            return {"position": steps[0], "times": len(steps)}.get(quantity) if steps else "nothing that is read there is tainted"
        if finding["kind"] == "written-code" and quantity == "position":
            low, high = addresses[:2]
            if claim["at"] == finding["at"]:
                return next(step for step in range(len(self.addresses)) if self.is_in(step, low, high) and step >= finding["at"])
            return self.first_write(low, high)
        if finding["kind"] == "written-code" and quantity == "executed":
            low, high = addresses[:2]
            return sum(self.is_in(step, low, high) for step in range(finding["at"], len(self.addresses)))
        return None

    def tainted(self, address):
        """The steps that execute an instruction and read something tainted."""
        steps = []
        for record in self.records:
            frame = record.get("std_frame", {})
            if frame.get("address") == address:
                reads = (it for it in frame.get("operand_pre_list", {}).get("elem", []) if it["operand_usage"]["read"])
                steps += [record["i"]] * any(not it["taint_info"].get("no_taint") for it in reads)
        return steps

    def is_in(self, step, low, high):
        return self.addresses[step] is not None and low <= self.addresses[step] < high

    def first_write(self, low, high):
        """The first step that writes a byte from `low` to before `high`."""
        for record in self.records:
            for is_written, _, address, value in operands(record.get("std_frame", {})):
                if is_written and address is not None and address < high and address + len(value) > low:
                    return record["i"]
        return None

    def causes(self, finding):
        if finding["kind"] == "stray-return" and self.stray(finding):
            is_overwritten = self.stray(finding).is_overwritten
            return "" if is_overwritten == ("overwritten" in finding["sentence"]) else f"that its return address was overwritten is {is_overwritten}"
        if finding["kind"] == "burst":
            figures = {it["quantity"]: it["value"] for it in finding["claims"]}
            length = max(figures["length"], 1)
            rates = figures["events"] / length, figures.get("elsewhere", 0) / (self.length - length)
            return "" if rates[0] >= 5 * rates[1] and 2 * length <= self.length else f"its rates are {rates}"
        return ""


class Blocks(Steps):
    """The runs of blocks of a REVEN database."""

    def __init__(self, path):
        self.runs = [json.loads(line) for line in lines("dump", path, "--json")]
        self.runs = [run for run in self.runs if "block" in run]
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            blocks = database.execute("select rowid, pc, instruction_data, instruction_count from blocks").fetchall()
            self.blocks = {number: (pc & (1 << 64) - 1, bytes(code)) for number, pc, code, _ in blocks}
            self.sizes = {number: count for number, _, _, count in blocks}
            try:
                self.interrupts = database.execute("select transition_id, number, is_hw from interrupts").fetchall()
            except sqlite3.Error:
                self.interrupts = []
            try:
                starts = database.execute("select block_id, max(instruction_index) from instruction_indices group by block_id")
                self.last = {number: start for number, start in starts if start < len(self.blocks[number][1])}
            except sqlite3.Error:
                self.last = {}
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
        vector = re.fullmatch(r"(exceptions|interrupts of the hardware|interrupts) \(vector (\d+)(, [^)]*)?\)", name)
        if name != "page faults" and not vector:
            return None
        number = int(vector[2]) if vector else 14
        is_hardware = bool(vector) and vector[1] == "interrupts of the hardware"
        return [at for at, of, hardware in self.interrupts if of == number and bool(hardware) == is_hardware]

    def executions(self):
        """The last instructions of blocks that ran to their end."""
        before = None
        for run in self.runs:
            (address, code), count = self.blocks[run["block"]], self.sizes[run["block"]]
            if before:
                yield (*before, address if count else None)
            before = None
            start = self.last.get(run["block"], 0 if count == 1 else None)
            if count and start is not None and run["end"] - run["begin"] >= count:
                before = (run["end"] - 1, None, address + start, code[start:], None)

    def true_addresses(self, finding):
        if finding["kind"] != "written-code":
            return super().true_addresses(finding)
        runs = {run["begin"]: run["block"] for run in self.runs}
        old, new = (self.blocks[runs[at]][0] for at in finding["places"][:2])
        return [new] if old == new else "the blocks are at two addresses"

    def more(self, finding, claim, addresses):
        if finding["kind"] == "written-code":
            before, after = finding["places"][:2]
            runs = {run["begin"]: run["block"] for run in self.runs}
            old, new = runs[before], runs[after]
            count = collections.Counter(run["block"] for run in self.runs)
            changed = sum(left != right for left, right in zip(self.blocks[old][1], self.blocks[new][1]))
            first = next(run["begin"] for run in self.runs if run["block"] == new)
            return {"runs-before": count[old], "runs-after": count[new], "bytes-changed": changed, "position": first}.get(claim["quantity"])
        return None
