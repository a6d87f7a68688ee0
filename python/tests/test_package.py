"""The package as a program sees it: ``npm run test:python``."""

import _thread
import contextlib
import doctest
import gc
import glob
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import unspool

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
XRAY = FIXTURES / "xray" / "threads.xray"
#: The native command, to compare with. It is built by the tests of Rust.
COMMAND = os.environ.get("UNSPOOL_COMMAND", "")


def rows(stream):
    return pyarrow.table(stream).to_pylist()


def printed(*args):
    """What the native command prints."""
    done = subprocess.run([COMMAND, *map(str, args)], stdout=subprocess.PIPE, check=False)
    return done.stdout


class Streams(unittest.TestCase):
    def setUp(self):
        self.trace = unspool.open(XRAY)

    def test_all_libraries_take_the_same_rows(self):
        slices = self.trace.slices()
        expected = rows(slices)
        self.assertEqual(len(expected), self.trace.info["slices"])
        frame = polars.DataFrame(slices).with_columns(polars.col("name").cast(polars.String))
        self.assertEqual(frame.to_dicts(), expected)
        columns = ", ".join(slices.columns)
        found = duckdb.sql(f"select {columns} from slices").fetchall()
        self.assertEqual([dict(zip(slices.columns, row)) for row in found], expected)
        taken = pandas.DataFrame.from_arrow(slices)
        for column in ("id", "start", "dur", "name"):
            self.assertEqual(taken[column].tolist(), [row[column] for row in expected])
        self.assertEqual(taken["parent"].isna().sum(), sum(row["parent"] is None for row in expected))
        batches = [pyarrow.record_batch(batch) for batch in slices]
        self.assertEqual(pyarrow.Table.from_batches(batches).to_pylist(), expected)

    def test_schemas_are_those_of_the_rows(self):
        for table in ("slices", "instants", "counters", "tracks", "names", "records", "fields"):
            stream = getattr(self.trace, table)()
            table = pyarrow.table(stream)
            table.validate(full=True)
            self.assertEqual(pyarrow.schema(stream), table.schema)
            self.assertEqual(stream.columns, table.schema.names)
            for field, column in zip(table.schema, table.columns):
                self.assertTrue(field.nullable or column.null_count == 0)

    def test_rows_are_those_of_sql(self):
        for path in (XRAY, FIXTURES / "trace_db" / "overrun.trace", FIXTURES / "apitrace" / "scene.trace"):
            trace = unspool.open(path)
            names = {row["id"]: row["name"] for row in rows(trace.names())}
            for table, key in (("slices", "id"), ("instants", None), ("counters", None)):
                stream = getattr(trace, table)()
                wanted = [column for column in stream.columns if column != "exact"]
                found = [{key: row[key] for key in wanted} for row in rows(stream)]
                by_sql = trace.sql(f"select {', '.join(wanted)} from {table} order by id")
                if "name" in wanted:
                    by_sql = [{**row, "name": names[row["name"]]} for row in by_sql]
                if key:
                    found.sort(key=lambda row: row[key])
                self.assertEqual(found, by_sql, f"{table} of {path.name}")
            self.assertEqual(rows(trace.records()), trace.sql("select id, time, track, name from records"))
            self.assertEqual(
                [(row["record"], row["key"], row["symbol"]) for row in rows(trace.fields())],
                [(row["record"], row["key"], row["symbol"]) for row in trace.sql("select * from fields")],
            )

    def test_parts_of_a_trace(self):
        every = rows(self.trace.slices())
        first, last = every[40]["start"], every[90]["start"]
        inside = [row["start"] for row in every if row["start"] <= last and row["start"] + row["dur"] >= first]
        # A slice that ends where the range begins overlaps only if it has no length.
        found = [row["start"] for row in rows(self.trace.slices(range=(first, last)))]
        self.assertTrue(set(found) <= set(inside) and len(found) >= 51, (len(found), len(inside)))
        track = next(it for it in self.trace.info["tracks"] if it["id"] == every[0]["track"])
        on_it = [row for row in every if row["track"] == every[0]["track"]]
        self.assertEqual(rows(self.trace.slices(track=track["name"])), on_it)
        self.assertEqual(rows(self.trace.slices(track=track["id"])), on_it)
        named = [row for row in every if row["name"] == "#8"]
        self.assertEqual(rows(self.trace.slices(filter="name:#8")), named)
        times = [row["time"] for row in rows(self.trace.records(range=(first, None)))]
        self.assertTrue(times and min(times) >= first)

    def test_questions_are_answered_while_a_stream_is_open(self):
        batches = iter(self.trace.slices())
        other = iter(self.trace.records())
        self.assertGreater(len(self.trace.stats()["functions"]), 0)
        self.assertEqual(len(next(batches)), self.trace.info["slices"])
        self.assertGreater(len(next(other)), 0)
        self.assertIsNone(next(batches, None))
        abandoned = self.trace.slices().__arrow_c_stream__()
        del abandoned
        gc.collect()
        self.assertEqual(self.trace.sql("select 1 as one"), [{"one": 1}])

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(unspool.QuestionError, "No track has the name or number nothing"):
            pyarrow.table(self.trace.slices(track="nothing"))
        with self.assertRaisesRegex(unspool.QuestionError, "is not a range"):
            self.trace.slices(range=(7, 5))
        with self.assertRaises(unspool.QuestionError):
            pyarrow.table(self.trace.slices(filter="dur>"))
        batch = next(iter(self.trace.slices()))
        pyarrow.record_batch(batch)
        with self.assertRaisesRegex(ValueError, "taken before"):
            pyarrow.record_batch(batch)
        stream = self.trace.slices()
        self.trace.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            pyarrow.table(stream)


class Traces(unittest.TestCase):
    def test_all_formats_open(self):
        for path in (
            "xray/events.xray",
            "apitrace/scene.trace",
            "frames/calls.frames",
            "trace_db/values.trace",
            "rvn/blocks.sqlite",
            "containers/threads.xray.zst",
        ):
            with unspool.open(FIXTURES / path) as trace:
                self.assertEqual(pyarrow.table(trace.slices()).num_rows, trace.info["slices"], path)
                pyarrow.table(trace.fields()).validate(full=True)

    def test_errors_have_sentence_and_offset(self):
        with self.assertRaises(FileNotFoundError):
            unspool.open(FIXTURES / "nothing.xray")
        with self.assertRaises(unspool.TraceError) as caught:
            unspool.open(FIXTURES / "xray" / "README.md")
        self.assertNotIsInstance(caught.exception, unspool.QuestionError)
        self.assertIsNone(caught.exception.offset)
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "head.frames"
            broken.write_bytes((FIXTURES / "frames" / "mips.frames").read_bytes()[:28])
            with self.assertRaises(unspool.TraceError) as caught:
                unspool.open(broken)
            self.assertEqual(caught.exception.offset, 24)
            self.assertIn("at byte 24: ", str(caught.exception))

    def test_what_could_be_read_comes_with_problems(self):
        trace = unspool.open(FIXTURES / "xray" / "truncated.xray")
        self.assertGreater(len(trace.problems), 0)
        self.assertGreater(trace.problems[0]["first"]["offset"], 0)

    def test_names_of_binaries(self):
        folder = FIXTURES / "binaries"
        trace = unspool.open(folder / "program.xray", binary=folder / "program.elf")
        names = {row["name"] for row in rows(trace.names())}
        self.assertFalse(any(name.startswith("#") for name in names), names)
        with self.assertRaises(unspool.TraceError):
            unspool.open(XRAY, binary=[folder / "program.elf"])

    def test_comparisons(self):
        folder = FIXTURES / "trace_db"
        good = unspool.open(folder / "compare-good.trace")
        found = good.compare(folder / "compare-bad.trace")
        self.assertEqual(found, good.compare(unspool.open(folder / "compare-bad.trace")))
        self.assertIn("statements", found)
        with self.assertRaisesRegex(unspool.TraceError, "only traces of one format"):
            good.compare(XRAY)

    def test_images(self):
        trace = unspool.open(FIXTURES / "graphics" / "uploads.trace")
        resources = trace.sql("select time from records where name like 'glTexImage2D%' limit 1")
        png = trace.image(resources[0]["time"])
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        with self.assertRaisesRegex(unspool.QuestionError, "name one"):
            trace.image(0)

    @unittest.skipUnless(COMMAND, "UNSPOOL_COMMAND is not set")
    def test_answers_are_those_of_the_command(self):
        trace = unspool.open(XRAY)
        # How the trace is kept differs, and what depends on that.
        kept = {"store_bytes": 0, "bytes_per_slice": 0, "digest": ""}
        self.assertEqual(trace.info | kept, json.loads(printed("info", "--json", XRAY)) | kept)
        for by in ("function", "thread", "stack"):
            self.assertEqual(trace.stats(by), json.loads(printed("stats", "--json", "--by", by, XRAY)))
        found = [json.loads(line) for line in printed("find", "--json", XRAY, "name:#8").splitlines()]
        self.assertEqual(trace.find("name:#8"), found)
        self.assertEqual(trace.find("name:#8", limit=2), found[:2])
        frames = FIXTURES / "frames" / "calls.frames"
        with unspool.open(frames) as trace:
            self.assertEqual(trace.state(7), json.loads(printed("state", "--json", "--at", 7, frames)))
        draws = FIXTURES / "graphics" / "draws.trace"
        with unspool.open(draws) as trace:
            self.assertEqual(trace.state(40), json.loads(printed("state", "--json", "--at", 40, draws)))


class Threads(unittest.TestCase):
    def test_one_trace_answers_several_threads(self):
        trace = unspool.open(XRAY)
        expected, found = rows(trace.slices()), []
        threads = [threading.Thread(target=lambda: found.append(rows(trace.slices()))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)

    def test_the_lock_is_free_and_ctrl_c_stops_a_query(self):
        trace = unspool.open(XRAY)
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
        # It can only run while the query does if that has given the lock back.
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            trace.sql(endless)
        timer.join()
        self.assertEqual(trace.sql("select 1 as one"), [{"one": 1}])

    @unittest.skipUnless(hasattr(os, "fork"), "there are no forks")
    def test_a_forked_process_is_told_to_open_the_trace_again(self):
        trace = unspool.open(XRAY)
        with warnings.catch_warnings():
            # Of threads, which is what this is about.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                trace.stats()
            except RuntimeError:
                os._exit(7)
            finally:
                os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_temporary_files_go_with_the_process(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"import unspool; t = unspool.open({str(XRAY)!r}); t.sql('select 1')"
            subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "TMPDIR": folder})
            self.assertEqual(os.listdir(folder), [])

    @unittest.skipUnless(hasattr(os, "fork"), "there are no forks")
    def test_the_end_of_a_fork_leaves_the_files_of_its_parent(self):
        program = f"""
import os, sys, unspool
files = lambda: sorted(name for _, _, names in os.walk(os.environ["TMPDIR"]) for name in names)
trace = unspool.open({str(XRAY)!r})
trace.sql("select 1")
before = files()
child = os.fork()
if child == 0:
    # One that opens a trace itself has files of its own.
    unspool.open({str(XRAY)!r}).sql("select 1")
    sys.exit(0 if len(files()) > len(before) else 7)
assert os.waitpid(child, 0)[1] == 0
assert len(before) > 1 and files() == before, (before, files())
"""
        with tempfile.TemporaryDirectory() as folder:
            arguments = [sys.executable, "-W", "ignore", "-c", program]
            subprocess.run(arguments, check=True, env={**os.environ, "TMPDIR": folder})
            self.assertEqual(os.listdir(folder), [])


class Notebook(unittest.TestCase):
    def test_it_runs(self):
        import nbformat
        from nbclient import NotebookClient

        path = Path(__file__).resolve().parents[1] / "examples" / "traces.ipynb"
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
        shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        self.assertTrue(any("image/png" in output.get("data", {}) for output in shown), "there is a chart")


class Documents(unittest.TestCase):
    """What documents say that Python runs or has, on fixtures with the names that they use."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.mkdir("logs")
        shutil.copy(FIXTURES / "binaries" / "program.elf", "app")
        for name in ("app.xray", "logs/1.xray", "logs/2.xray"):
            shutil.copy(FIXTURES / "binaries" / "program.xray", name)

    def blocks(self, document, language="python"):
        text = (ROOT / document).read_text(encoding="utf-8")
        return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)

    def run_block(self, block, names):
        """What a block prints."""
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(block, names)
        return shown.getvalue()

    def test_examples_of_the_package(self):
        for document in ("docs/python.md", "python/README.md"):
            blocks, names = self.blocks(document), {}
            self.assertTrue(blocks, document)
            shown = "".join(self.run_block(block, names) for block in blocks)
            self.assertIn("program::leaf", shown, document)
            names["t"].close()

    def test_columns_of_the_package(self):
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        tables = re.findall(r"^\| `(\w+)\(\)` \| (.*) \|$", text, re.M)
        self.assertEqual(len(tables), 7)
        with unspool.open("app.xray") as trace:
            for method, columns in tables:
                names = re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", columns))
                self.assertEqual(getattr(trace, method)().columns, names, method)

    def test_many_traces_by_the_package(self):
        shown = self.run_block(self.blocks("docs/fleet.md")[0], {})
        self.assertRegex(shown, r"_start +│ +6 │")

    @unittest.skipUnless(COMMAND, "needs the native command")
    def test_many_traces_by_the_command(self):
        text = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
        (line,) = re.findall(r"^    target/release/unspool (convert .*)$", text, re.M)
        words = [path for word in shlex.split(line) for path in sorted(glob.glob(word)) or [word]]
        subprocess.run([COMMAND, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = {}
        self.assertRegex(self.run_block(self.blocks("docs/fleet.md")[1], names), r"_start +│ +6 │")
        questions = self.blocks("docs/fleet.md", "sql")
        self.assertEqual(len(questions), 6)
        for question in questions:
            names["db"].sql(question).fetchall()


def load_tests(loader, tests, pattern):
    """Adds the examples of the documentation."""
    os.chdir(FIXTURES)
    flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    known = {"unspool": unspool, "pyarrow": pyarrow, "warnings": warnings}

    def begin(example):
        example.globs["t"] = unspool.open("xray/threads.xray")

    tests.addTests(doctest.DocTestSuite(unspool, extraglobs=known, setUp=begin, optionflags=flags))
    return tests


if __name__ == "__main__":
    unittest.main()
