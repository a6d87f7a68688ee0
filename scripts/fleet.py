"""The questions of docs/fleet.md in DuckDB and, where there is Java, in PySpark: python3 fleet.py SET QUESTIONS.

Prints each answer, and fails if the engines disagree. The last line has all answers as JSON: lists of rows, with their columns by name.
"""

import json
import re
import shutil
import sys
import time

TABLES = ["traces", "tracks", "names", "slices", "instants", "counters", "args"]


def duck(folder):
    import duckdb

    connection = duckdb.connect()
    for table in TABLES:
        files = f"{folder}/{table}/*/*.parquet"
        connection.execute(f"create view {table} as select * from read_parquet('{files}', hive_partitioning = true)")

    def ask(query):
        answer = connection.execute(query)
        return [column[0] for column in answer.description], answer.fetchall()

    return f"DuckDB {duckdb.__version__}", ask


def spark(folder):
    if not shutil.which("java"):
        print("PySpark: skipped, there is no Java (Debian: default-jre-headless)")
        return None
    import pyspark
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").appName("fleet")
    # Names of traces are texts even if they look like numbers.
    builder = builder.config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    # A partition of the default 200 each would be a task of a few rows.
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        session.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)

    def ask(query):
        answer = session.sql(query)
        return answer.columns, [tuple(row) for row in answer.collect()]

    return f"PySpark {pyspark.__version__}", ask


def same(a, b):
    if a is None or b is None or isinstance(a, str):
        return a == b
    return abs(float(a) - float(b)) <= 1e-9 * max(1.0, abs(float(a)))


def plain(value):
    """A value of an answer as JSON has it: engines return sums as decimals."""
    if value is None or isinstance(value, (str, float)):
        return value
    return int(value) if int(value) == value else float(value)


def told(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def table(columns, rows):
    cells = [columns] + [[told(plain(value)) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def main():
    folder, questions = sys.argv[1], open(sys.argv[2], encoding="utf-8").read()
    engines = [engine for engine in (duck(folder), spark(folder)) if engine]
    asked = re.findall(r"\n([^\n]+\?)\n\n```sql\n(.*?)```", questions, re.S)
    assert len(asked) == 6, f"{len(asked)} questions"
    answers = []
    for question, query in asked:
        found, times = [], []
        for _, ask in engines:
            began = time.perf_counter()
            found.append(ask(query))
            times.append(time.perf_counter() - began)
        (columns, rows), others = found[0], found[1:]
        print(f"\n{question}\n\n{table(columns, rows)}")
        print("  " + ", ".join(f"{name} {seconds:.2f} s" for (name, _), seconds in zip(engines, times)), flush=True)
        assert rows, "no answer"
        for (name, _), (_, other) in zip(engines[1:], others):
            agree = len(rows) == len(other) and all(same(a, b) for x, y in zip(rows, other) for a, b in zip(x, y))
            assert agree, f"{name} has another answer: {other}"
        answers.append([dict(zip(columns, map(plain, row))) for row in rows])
    if len(engines) > 1:
        print("\n" + " and ".join(name for name, _ in engines) + " agree.")
    print(json.dumps(answers))


main()
