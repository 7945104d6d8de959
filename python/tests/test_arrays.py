"""Numbers are seen in place, whoever holds them, and nulls are found before they become floats."""

import array
import collections
import fractions
import resource

import numpy
import pytest

import freegap as fg
from counting import optional

OPTIONS = {"k": 1, "epsilon": 100, "measure": 0, "ledger": None}


def winner(values, **options):
    return fg.top_k(values, **{**OPTIONS, **options}).winners[0].item


@pytest.mark.parametrize("kind", ["int64", "int32"])
def test_numpy(kind):
    values = numpy.array([3, 1000, 7], dtype=kind)
    values.flags.writeable = False
    assert winner(values) == "1"
    assert winner(values[1:]) == "0"


@pytest.mark.parametrize("kind", ["int64", "int32"])
def test_a_negative_count_is_found_wherever_it_stands(kind):
    for size in range(1, 10):
        for place in range(size):
            values = numpy.zeros(size, dtype=kind)
            values[place] = -1
            with pytest.raises(ValueError, match="negative"):
                winner(values)


def test_floats():
    assert winner(numpy.array([3.5, 1000.25, 7.0]), kind="general", sensitivity=1) == "1"


def test_other_buffers():
    assert winner(array.array("q", [3, 1000])) == "1"
    assert winner(memoryview(array.array("i", [3, 1000]))) == "1"
    assert winner([3, 1000]) == winner((3, 1000)) == "1"


class Numbers(list):
    """A list of another class, as data frames and parsers give them."""


def test_lists_of_other_classes():
    pair = collections.namedtuple("Pair", "tea rye")
    for values in (Numbers([3, 1000]), pair(3, 1000)):
        assert winner(values) == "1"
        assert fg.simulate.top_k(values, seed=1, **{name: OPTIONS[name] for name in ("k", "epsilon", "measure")})[0].winners[0].item == "1"
        assert fg.measure(values, items=[1], epsilon=100, ledger=None).measurements[0].item == "1"


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_lists_of_scalars_of_numpy(kind):
    """Each is exactly a double. What may not be is refused."""
    scalar = getattr(numpy, kind)
    general = {"kind": "general", "sensitivity": 1}
    assert winner([scalar(0.1), scalar(1000.5), 7, numpy.int64(8)], **general) == "1"
    close = [scalar(2000), numpy.float64(2000.25), numpy.int32(3)]
    [row] = fg.measure(close, items=[0], epsilon=1000, tick="1/1024", ledger=None, **general).measurements
    assert abs(row.measured - 2000) < 0.1
    for other in (numpy.longdouble(1), numpy.complex128(1), numpy.bool_(True), numpy.datetime64(1, "s"), fractions.Fraction(1, 3), numpy.array([1.0])):
        with pytest.raises(TypeError, match="values: give a list of numbers"):
            winner([scalar(1), other], **general)
    with pytest.raises(ValueError, match="2\\*\\*53"):
        winner([scalar(1), numpy.int64(2**53 + 1)], **general)


def held_by(container, numbers):
    """The numbers in a container, and an array of NumPy that sees them in place."""
    if container == "read-only":
        numbers.flags.writeable = False
        return numbers, numbers
    if container == "pandas":
        series = optional("pandas").Series(numbers)
        return series, series.to_numpy(copy=False)
    if container == "polars":
        series = optional("polars").Series(numbers)
        return series, series.to_numpy(allow_copy=False)
    if container == "arrow":
        values = optional("pyarrow").array(numbers)
        return values, values.to_numpy(zero_copy_only=True)
    return numbers, numbers


@pytest.mark.parametrize("container", ["numpy", "read-only", "pandas", "polars", "arrow"])
@pytest.mark.parametrize("kind", ["int64", "int32", "float64"])
def test_nothing_is_copied(kind, container):
    """A scan takes less than half of the array besides: its index of maxima. Peaks are per process, so a child measures its own."""
    import os

    values, seen = held_by(container, numpy.arange(10_000_000).astype(kind))
    options = {"kind": "general", "sensitivity": 1} if kind == "float64" else {}
    fg.top_k(values[:1000], **OPTIONS, **options)
    child = os.fork()
    if child == 0:
        try:
            seen.sum()  # its pages are there, even if they were swapped out
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            fg.top_k(values, **OPTIONS, **options)
            more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            os._exit(0 if more * 1024 < seen.nbytes / 2 else 1)
        finally:  # an exception must not go on as a second run of the tests
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_pandas():
    pandas = optional("pandas")
    assert winner(pandas.Series([3, 1000, 7])) == "1"
    assert winner(pandas.array([3, 1000, 7], dtype="Int64")) == "1"
    for missing in (pandas.Series([3, None], dtype="Int64"), pandas.Series([3.0, None]), pandas.array([3, None, 9], dtype="Int64"),
                    pandas.array([3, None], dtype="Float64")):
        with pytest.raises(ValueError, match="nulls"):
            winner(missing, kind="general", sensitivity=1)


def test_polars():
    polars = optional("polars")
    assert winner(polars.Series([3, 1000, 7])) == "1"
    with pytest.raises(ValueError, match="nulls"):
        winner(polars.Series([3, None, 7]))
    with pytest.raises(TypeError, match="int64"):
        winner(polars.Series([3, 4], dtype=polars.Int8))


def test_arrow():
    pyarrow = optional("pyarrow")
    assert winner(pyarrow.array([3, 1000, 7])) == "1"
    assert winner(pyarrow.array([5000, 3, 1000, 7]).slice(1)) == "1"
    assert winner(pyarrow.array([3, 1000, 7], pyarrow.int32())) == "1"
    with pytest.raises(ValueError, match="nulls"):
        winner(pyarrow.array([3, None, 7]))
    with pytest.raises(TypeError, match="int64"):
        winner(pyarrow.array(["a"]))


class Streamed:
    """Has nothing but the stream, as a library without NumPy."""

    def __init__(self, of):
        self.of = of

    def __arrow_c_stream__(self, requested_schema=None):
        return self.of.__arrow_c_stream__(requested_schema)


def test_arrow_streams():
    polars = optional("polars")
    assert winner(Streamed(polars.Series([3, 1000, 7]))) == "1"
    with pytest.raises(ValueError, match="nulls"):
        winner(Streamed(polars.Series([3, None])))
    with pytest.raises(TypeError, match="int64"):
        winner(Streamed(polars.Series(["a"])))


@pytest.mark.parametrize("kind", ["int64", "int32", "double"])
def test_columns_in_several_chunks(kind):
    pyarrow = optional("pyarrow")
    options = {"kind": "general", "sensitivity": 1} if kind == "double" else {}
    for chunks, best in (([[3], [9000]], "1"), ([[], [3, 4], [], [5, 6, 9000, 7], []], "4"), ([[], [5, 9000], []], "1"), ([[9000], [1, 2]], "0"),
                         ([[0, 1, 2]] * 500 + [[3, 9000]], "1501")):
        column = pyarrow.chunked_array([pyarrow.array(chunk, kind) for chunk in chunks])
        assert column.num_chunks == len(chunks)
        for values in (column, Streamed(column)):
            assert winner(values, **options) == best
    sliced = pyarrow.chunked_array([pyarrow.array([9000, 1, 2], kind).slice(1), pyarrow.array([3, 9000], kind).slice(1)])
    assert winner(sliced, **options) == "2"
    release = fg.measure(column, items=[0, 1499, 1501], epsilon=999, **options, ledger=None)
    assert [round(row.measured) for row in release.measurements] == [0, 2, 9000]


def test_columns_that_were_concatenated():
    polars, pandas, pyarrow = optional("polars"), optional("pandas"), optional("pyarrow")
    series = polars.Series([3, 1000])
    both = polars.concat([series, polars.Series([5000, 7])], rechunk=False)
    assert both.n_chunks() == 2 and winner(both) == winner(Streamed(both)) == "2"
    arrow = pandas.concat([pandas.Series([3, 4], dtype="int64[pyarrow]"), pandas.Series([9000], dtype="int64[pyarrow]")], ignore_index=True)
    assert winner(arrow) == "2"
    empty = pyarrow.chunked_array([], pyarrow.int64())
    assert fg.top_k(empty, labels=[], unknown_items=True, delta="1e-9", bounded_by=1, k=1, epsilon=1, ledger=None).winners == ()


def test_nulls_and_other_types_in_any_chunk():
    pyarrow = optional("pyarrow")
    for chunks in ([[None], [3]], [[3], [None]], [[], [3], [4, None, 5]]):
        with pytest.raises(ValueError, match="nulls"):
            winner(Streamed(pyarrow.chunked_array([pyarrow.array(chunk, "int64") for chunk in chunks])))
    for column in (pyarrow.chunked_array([["a"], ["b"]]), pyarrow.chunked_array([], pyarrow.string()), pyarrow.chunked_array([[], []], pyarrow.int8())):
        with pytest.raises(TypeError, match="int64"):
            winner(Streamed(column))


def test_values_of_uint64_are_to_be_clipped():
    """numpy.asarray(values, dtype="int64") would make some of them negative."""
    polars, pyarrow = optional("polars"), optional("pyarrow")
    values = numpy.array([3, 2**63 + 9, 7], dtype="uint64")
    for column in (values, polars.Series(values), pyarrow.array(values), pyarrow.chunked_array([values, values]), Handing("__dlpack__", values.__dlpack__())):
        with pytest.raises(TypeError, match=r"uint64.*negative: clip them first"):
            winner(column)
    assert winner(numpy.minimum(values, 2**63 - 1).astype("int64")) == "1"  # what the message says
    with pytest.raises(TypeError, match="another type of numbers"):
        winner(numpy.array([3, 4], dtype="uint32"))


def test_dlpack():
    class Tensor:
        """Has nothing but DLPack."""

        def __init__(self, of):
            self.of = of

        def __dlpack__(self, **options):
            return self.of.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.of.__dlpack_device__()

    assert winner(Tensor(numpy.array([3, 1000, 7]))) == "1"
    with pytest.raises(TypeError, match="int64"):
        winner(Tensor(numpy.array([3, 100], dtype="int8")))
    with pytest.raises(ValueError, match="one dimension"):
        winner(Tensor(numpy.zeros((2, 2), dtype="int64")))


class Handing:
    """Hands out what it is given, each time."""

    def __init__(self, method, thing):
        setattr(type(self), method, lambda self, *_, **__: thing)

    def __new__(cls, *_):
        return object.__new__(type("Handing", (cls,), {}))


def refused(values, error=ValueError, words="consumed before"):
    with pytest.raises(error, match=words):
        winner(values)
    return True


def test_consumed_capsules_of_arrow(ledger):
    """Their memory is another's, and may be freed."""
    pyarrow = optional("pyarrow")
    numbers = pyarrow.array([3, 1000, 7])
    stream = pyarrow.chunked_array([numbers]).__arrow_c_stream__()
    pyarrow.ChunkedArray._import_from_c_capsule(stream)
    values = Handing("__arrow_c_stream__", stream)
    assert refused(values)
    with pytest.raises(ValueError, match="consumed before"):
        fg.top_k(values, k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.history() == []
    capsules = numbers.__arrow_c_array__()
    pyarrow.Array._import_from_c_capsule(*capsules)
    assert refused(Handing("__arrow_c_array__", capsules))
    schema, array = numbers.__arrow_c_array__()
    pyarrow.DataType._import_from_c_capsule(schema)
    assert refused(Handing("__arrow_c_array__", (schema, array)))


def test_capsules_are_consumed_by_the_release():
    """Otherwise another consumer could free the memory while it is read."""
    pyarrow = optional("pyarrow")
    capsules = pyarrow.array([3, 1000, 7]).__arrow_c_array__()
    values = Handing("__arrow_c_array__", capsules)
    assert winner(values) == "1"
    assert refused(values)
    with pytest.raises(pyarrow.ArrowInvalid, match="released"):
        pyarrow.Array._import_from_c_capsule(pyarrow.int64().__arrow_c_schema__(), capsules[1])


def test_streams_are_consumed_by_the_release(ledger):
    """A second call would read what is left of the column, and charge for it."""
    pyarrow = optional("pyarrow")
    for chunks, outcome in (([[3], [1000], [7], [9000]], None), ([[3, 1000, 7]], None), ([[3], [None], [7], [9000]], "nulls"), ([["a"], ["b"]], "int64")):
        values = Handing("__arrow_c_stream__", pyarrow.chunked_array(chunks).__arrow_c_stream__())
        if outcome is None:
            winner(values)
        else:
            with pytest.raises((TypeError, ValueError), match=outcome):
                winner(values)
        for _ in range(2):
            with pytest.raises(ValueError, match="consumed before"):
                fg.top_k(values, k=1, epsilon=1, unit="customer", ledger=ledger)
    assert ledger.history() == []


def test_a_stream_of_rows_is_no_column():
    """It is refused before a row is read."""
    pyarrow = optional("pyarrow")

    def batches():
        raise ZeroDivisionError
        yield

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"n": pyarrow.int64()}), batches())
    with pytest.raises(TypeError, match="another type of numbers"):
        winner(Handing("__arrow_c_stream__", reader.__arrow_c_stream__()))


def test_consumed_capsules_of_dlpack():
    capsule = numpy.arange(3).__dlpack__()
    numpy.from_dlpack(type("Once", (), {"__dlpack__": lambda self, **_: capsule, "__dlpack_device__": lambda self: (1, 0)})())
    assert refused(Handing("__dlpack__", capsule))
    values = Handing("__dlpack__", numpy.array([3, 1000, 7]).__dlpack__())
    assert winner(values) == "1"
    assert refused(values)


def test_read_only_memory_through_dlpack():
    numbers = numpy.array([3, 1000, 7])
    numbers.flags.writeable = False

    class Tensor:
        def __dlpack__(self, **options):
            return numbers.__dlpack__(**options)

    assert winner(Tensor()) == "1"


@pytest.mark.parametrize("method", ["__arrow_c_stream__", "__arrow_c_array__", "__dlpack__"])
def test_capsules_that_are_none(method):
    other = numpy.arange(3).__dlpack__()  # of another name
    for thing in (None, 7, "x", (), (other,), (other, other), (None, None), other if method != "__dlpack__" else 1.5):
        assert refused(Handing(method, thing), TypeError, "int64")


def test_an_array_interface_that_raises():
    class Broken:
        def __array__(self, *_, **__):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        winner(Broken())


def test_labels_and_declarations():
    values = numpy.array([10, 5000, 9000], dtype="int64")
    labelled = {"labels": ["tea", "rye", "gin"]}
    assert winner(values, **labelled, items_are_public=True) == "gin"
    assert winner(values, **labelled, candidates=["tea", "rye", "jam"]) == "rye"  # gin is left out, jam counts 0
    assert winner(values, labels=[7, 8, 99], universe=range(10)) == "8"
    release = fg.top_k(values, **{**OPTIONS, "k": 3}, **labelled, candidates=["tea", "rye", "jam"])
    assert [row.item for row in release.winners] == ["rye", "tea", "jam"]
    assert release.parameters["candidate_count"] == 3
