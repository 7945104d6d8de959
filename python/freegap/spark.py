"""Spark: releases from a DataFrame of PySpark 4, classic or Connect.

    release = fg.spark.top_k(sales, item="product", unit="customer", candidates=["tea", "jam", "rye"], k=2, epsilon=1, ledger=ledger)

Spark counts. The counts are materialised once, by a checkpoint: in the directory of checkpoints where the session has one
(`sc.setCheckpointDir`, or `spark.checkpoint.dir`), else on the executors (`localCheckpoint`). The driver gets the number of items with each
count, and the winners, with the few items that have the same counts. It draws the noise once, in C++. Tasks that fail, run twice or run again draw nothing.

If executors are lost between counting and naming the winners, a directory of checkpoints still has the counts. Without one Spark
raises an error, and nothing is released: counts that another evaluation of the frame gives would not be those that noise was added to.
An error before the charge is Spark's own, and nothing was spent. After it a `MachineFault` says what stays charged.

Rows without an item or a unit are left out one by one. Items are text or whole numbers, and are compared byte by byte whatever the
collation. The frame must treat each row by itself: limits, samples, windows and aggregates make one row decide about another.
"""

from __future__ import annotations

import itertools
from typing import Any, Iterable

from . import _counting
from ._counting import Asked
from ._engine import check_columns, functions, no_names
from ._releases import Release

__all__ = ["above", "measure", "sparse_vector", "top_k", "top_k_above"]

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_GOOD_NAME = r"\A[^\x00-\x20\x7f-\x9f](?:[^\x00-\x08\x0a-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\x9f])?\z"
_ID = r"\A(?:0|-?[1-9][0-9]{0,18})\z"
_ITEM = "CAST(CAST(item AS string) AS binary) AS item"  # any bytes may be a name
_FETCHED = 1_000  # members of the winners' groups that the driver takes all together
_BUCKET = 100_000  # members of a group that one task sorts, about
_OTHER_COUNTS = "Spark returned other counts than before"


def _released(function: str, frame: Any, options: dict[str, Any]) -> Release:
    asked, options = _counting.take(function, options)
    counted = _CountedFrame(frame, asked)
    return _counting.release(function, asked, {**options, "input": f"Spark, items in the column {asked.item!r}"}, counted)


top_k, top_k_above, sparse_vector, measure = functions(_released, "Takes a pyspark.sql.DataFrame that is no stream.")
above = sparse_vector


class _CountedFrame:
    """A checkpoint (item, n) of a frame. It is made once, and read as often as needed."""

    def __init__(self, frame: Any, asked: Asked):
        self._asked = asked
        self._many: dict[int, int] = {}
        self._whole = _look_at_columns(frame, asked)
        self._session = frame.sparkSession
        counts = self._counting(frame)
        self._counted = counts.checkpoint(eager=True) if _has_directory(self._session) else counts.localCheckpoint(eager=True)

    def _counting(self, frame: Any) -> Any:
        """The plan that counts. Collations would let one row decide how others are named."""
        from pyspark.sql import functions as F

        asked = self._asked
        item = _column(asked.item)
        item = item.cast("bigint") if self._whole else F.collate(item.cast("string"), "UTF8_BINARY")
        columns = [item.alias("item")] if asked.by_rows else [item.alias("item"), _column(asked.unit).alias("unit")]
        rows = frame.select(columns).dropna()
        if asked.unknown and not self._whole:  # before the cut: what a release cannot show takes no place of what it can
            rows = rows.where(_good_name())
        if asked.max_items is not None:
            rows = self._cut_down(rows)
        if asked.universe is not None:
            if not self._whole:
                rows = rows.where(F.col("item").rlike(_ID)).withColumn("item", F.col("item").try_cast("bigint"))
            rows = rows.where(F.col("item").between(asked.universe.start, asked.universe.stop - 1))
        if asked.listed is None:
            return _grouped(rows, asked)
        listed = self._session.createDataFrame([(name,) for name in asked.listed], "item string")
        named = rows.withColumn("item", F.col("item").cast("string")).join(listed, "item", "left_semi")
        return listed.join(_grouped(named, asked), "item", "left").select("item", F.coalesce("n", F.lit(0)).alias("n"))

    def _cut_down(self, rows: Any) -> Any:
        """The pairs of units, with what stays when each is cut down to the bound by itself. A hash decides, so an evaluation that is repeated gives the same.
        The key is joined, since plans show literals. A collation may take several texts for one unit, of which the least is hashed."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        def text(name: str) -> Any:
            return F.collate(F.col(name).cast("string"), "UTF8_BINARY")

        pairs = rows.groupBy("item", "unit").agg(F.min(text("unit")).alias("name"))
        parts = [F.col("key")]
        for name in ("name", "item"):
            parts += [F.octet_length(text(name)).cast("string"), F.lit(":"), text(name)]
        order = Window.partitionBy("unit").orderBy(F.sha2(F.concat(*parts), 256).asc())
        key = self._session.createDataFrame([(self._asked.key,)], "key string")
        ranked = pairs.crossJoin(F.broadcast(key)).withColumn("place", F.row_number().over(order))
        return ranked.withColumn("kept", F.col("place") <= self._asked.max_items).select("item", "unit", "kept")

    def histogram(self) -> Iterable[tuple[int, int]]:
        from pyspark.sql import functions as F

        groups = self._counted.groupBy("n").agg(F.count(F.lit(1)).alias("many")).collect()
        self._many = {group.n: group.many for group in groups}
        return self._many.items()

    def everything(self) -> Iterable[tuple[Any, int]]:
        rows = self._counted.selectExpr(_ITEM, "n").collect()
        return [(_text(row.item), row.n) for row in rows]

    def names(self, wanted: list[tuple[int, int]]) -> list[Any]:
        """Groups are numbered in the order of their names. Large ones stay in Spark."""
        absent = [(i, rank) for i, (n, rank) in enumerate(wanted) if n == 0] if self._asked.universe is not None else []
        present = [(i, n, rank) for i, (n, rank) in enumerate(wanted) if n or self._asked.universe is None]
        found = dict(self._absent(absent)) if absent else {}
        if present:
            few = sum(self._many[n] for n in {n for _, n, _ in present}) <= _FETCHED
            found |= self._among_few(present) if few else self._among_many(present)
        if len(found) != len(wanted):
            raise RuntimeError(_OTHER_COUNTS)
        return [found[i] for i in range(len(wanted))]

    def _among_few(self, present: list[tuple[int, int, int]]) -> dict[int, str]:
        """One pass without a shuffle: most winners share their count with few items."""
        from pyspark.sql import functions as F

        groups: dict[int, list[str]] = {n: [] for _, n, _ in present}
        for row in self._counted.where(F.col("n").isin(list(groups))).selectExpr(_ITEM, "n").collect():
            groups[row.n].append(_text(row.item))
        if any(len(names) != self._many[n] for n, names in groups.items()):
            raise RuntimeError(_OTHER_COUNTS)
        groups = {n: sorted(names) for n, names in groups.items()}
        return {i: groups[n][rank] for i, n, rank in present}

    def _among_many(self, present: list[tuple[int, int, int]]) -> dict[int, str]:
        """Members of a group are spread over buckets by a hash of their names. Only the buckets of winners are sorted."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        buckets = -(-max(self._many[n] for _, n, _ in present) // _BUCKET)
        places = _places(present, self._sizes({n for _, n, _ in present}, buckets))
        chosen = self._session.createDataFrame(places, "i bigint, n bigint, bucket bigint, rank bigint, size bigint")
        group = Window.partitionBy("n", "bucket")
        members = (self._in_buckets(buckets).join(F.broadcast(chosen.select("n", "bucket").distinct()), ["n", "bucket"], "left_semi")
                   .withColumn("rank", (F.row_number().over(group.orderBy(F.col("item").asc())) - 1).cast("bigint"))
                   .withColumn("found", F.count(F.lit(1)).over(group)))
        rows = members.join(F.broadcast(chosen), ["n", "bucket", "rank"]).selectExpr("i", _ITEM, "found = size AS same")
        found = {}
        for row in rows.collect():
            if not row.same:
                raise RuntimeError(_OTHER_COUNTS)
            found[row.i] = _text(row.item)
        return found

    def _in_buckets(self, buckets: int) -> Any:
        from pyspark.sql import functions as F

        bucket = F.lit(0) if buckets == 1 else F.pmod(F.xxhash64("item"), F.lit(buckets))
        return self._counted.withColumn("bucket", bucket.cast("bigint"))

    def _sizes(self, counts: set[int], buckets: int) -> dict[int, list[tuple[int, int]]]:
        """Of each count, its buckets with the number of their members."""
        from pyspark.sql import functions as F

        if buckets == 1:
            return {n: [(0, self._many[n])] for n in counts}
        asked = self._session.createDataFrame([(n,) for n in counts], "n bigint")
        groups = self._in_buckets(buckets).join(F.broadcast(asked), "n", "left_semi").groupBy("n", "bucket").agg(F.count(F.lit(1)).alias("size"))
        sizes: dict[int, list[tuple[int, int]]] = {n: [] for n in counts}
        for row in groups.orderBy("n", "bucket").collect():
            sizes[row.n].append((row.bucket, row.size))
        if any(sum(size for _, size in sizes[n]) != self._many[n] for n in counts):
            raise RuntimeError(_OTHER_COUNTS)
        return sizes

    def _absent(self, asked: list[tuple[int, int]]) -> Iterable[tuple[int, str]]:
        """Of the ids that do not occur: see _counted. Decimals, since a universe may have nearly 2^63 of them. One task sorts the ids
        that do occur."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        low = self._asked.universe.start  # type: ignore[union-attr]
        numbered = self._counted.withColumn("number", F.row_number().over(Window.orderBy(F.col("item").asc())))
        present = numbered.selectExpr("CAST(NULL AS bigint) AS i", f"CAST(CAST(item AS decimal(38)) - ({low}) - number + 1 AS decimal(38)) AS place")
        ranks = self._session.createDataFrame(asked, "i bigint, rank bigint").selectExpr("i", "CAST(rank AS decimal(38)) AS place")
        order = Window.orderBy(F.col("place").asc(), F.col("i").isNotNull().asc()).rowsBetween(Window.unboundedPreceding, 0)
        points = present.union(ranks).withColumn("before", F.count_if(F.col("i").isNull()).over(order))
        rows = points.where("i IS NOT NULL").selectExpr("i", f"CAST(CAST(({low}) + place + before AS decimal(38)) AS string) AS item").collect()
        return [(row.i, row.item) for row in rows]


def _places(present: list[tuple[int, int, int]], sizes: dict[int, list[tuple[int, int]]]) -> list[tuple[int, int, int, int, int]]:
    """(i, n, bucket, rank in the bucket, size of the bucket) for each (i, n, rank)."""
    places = []
    for n, members in itertools.groupby(sorted(present, key=lambda member: member[1:]), key=lambda member: member[1]):
        buckets = iter(sizes[n])
        before, (bucket, size) = 0, next(buckets)
        for i, _, rank in members:
            while rank >= before + size:
                before += size
                bucket, size = next(buckets)
            places.append((i, n, bucket, rank - before, size))
    return places


def _grouped(rows: Any, asked: Asked) -> Any:
    from pyspark.sql import functions as F

    if asked.max_items is None:
        return (rows if asked.by_rows else rows.distinct()).groupBy("item").agg(F.count(F.lit(1)).alias("n"))
    counts = rows.groupBy("item").agg(F.count_if("kept").alias("n"))  # an item that nobody keeps counts 0
    return counts.where("n > 0") if asked.universe is not None or asked.unknown else counts


def _text(name: bytes) -> str:
    """A name as Spark has it: any bytes."""
    return bytes(name).decode("utf-8", "surrogateescape")


def _good_name() -> Any:
    """Whether a release can show the column `item`."""
    from pyspark.sql import functions as F

    item = F.col("item")
    return F.is_valid_utf8(item) & (F.octet_length(item) <= _counting.LONGEST_NAME) & item.rlike(_GOOD_NAME)


def _column(name: str) -> Any:
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")


def _look_at_columns(frame: Any, asked: Asked) -> bool:
    """Whether items are whole numbers. Refuses columns that are not there, or have no names."""
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise TypeError("frame: give a pyspark.sql.DataFrame")
    if frame.isStreaming:
        raise ValueError("frame: a stream is counted again and again. Release from a batch of it. Nothing was spent")
    check_columns(asked, frame.columns)
    kind = next(field.dataType.simpleString() for field in frame.schema.fields if field.name == asked.item)
    if kind not in _WHOLE and kind.partition(" ")[0].partition("(")[0] not in ("string", "char", "varchar"):
        raise no_names(kind, f"cast it, for example frame.withColumn({asked.item!r}, frame[{asked.item!r}].cast(\"string\"))")
    return kind in _WHOLE


def _has_directory(session: Any) -> bool:
    """Whether there is a directory of checkpoints."""
    from pyspark.errors import PySparkException

    try:
        return session.sparkContext.getCheckpointDir() is not None
    except PySparkException:  # Spark Connect has no context
        return bool(session.conf.get("spark.checkpoint.dir", None))
