"""The questions of docs/fleet.md in DuckDB and, where there is Java, in PySpark: python3 fleet.py SET QUESTIONS.

Prints each answer, and fails if the engines disagree. The last line has the calls by function, as JSON, of the first question.
"""

import json
import re
import shutil
import sys

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

    return ask


def spark(folder):
    if not shutil.which("java"):
        print("PySpark: skipped, there is no Java (Debian: default-jre-headless)")
        return None
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").appName("fleet")
    # Names of traces are texts even if they look like numbers.
    builder = builder.config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        session.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)

    def ask(query):
        answer = session.sql(query)
        return answer.columns, [tuple(row) for row in answer.collect()]

    return ask


def same(a, b):
    if a is None or b is None or isinstance(a, str):
        return a == b
    return abs(float(a) - float(b)) <= 1e-9 * max(1.0, abs(float(a)))


def main():
    folder, questions = sys.argv[1], open(sys.argv[2], encoding="utf-8").read()
    engines = [("DuckDB", duck(folder)), ("PySpark", spark(folder))]
    engines = [(name, ask) for name, ask in engines if ask]
    asked = re.findall(r"\n([^\n]+\?)\n\n```sql\n(.*?)```", questions, re.S)
    assert len(asked) == 5, f"{len(asked)} questions"
    calls = {}
    for number, (question, query) in enumerate(asked):
        answers = [(name, *ask(query)) for name, ask in engines]
        _, columns, rows = answers[0]
        print(f"\n{question}\n" + "  ".join(columns))
        for row in rows:
            print("  ".join(str(value) for value in row))
        assert rows, "no answer"
        for name, _, other in answers[1:]:
            agree = len(rows) == len(other) and all(same(a, b) for x, y in zip(rows, other) for a, b in zip(x, y))
            assert agree, f"{name} has another answer: {other}"
        if number == 0:
            calls = {row[0]: int(row[1]) for row in rows}
    print("\n" + " and ".join(name for name, _ in engines) + " agree." if len(engines) > 1 else "")
    print(json.dumps(calls))


main()
