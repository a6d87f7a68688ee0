"""The points of a trace-db trace."""

import collections
import json
import re

from recomputed.common import lines


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


# How a program calls the system: the instruction, and where the number and the result are.
