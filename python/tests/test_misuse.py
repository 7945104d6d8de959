"""What must be an error in Python, never a crash or another answer."""

import ctypes
import decimal
import fractions
import subprocess
import sys
import warnings

import pytest

import freegap as fg
from counting import optional

ONE = {"k": 1, "epsilon": 1, "measure": 0, "ledger": None}


def test_a_buffer_without_strides():
    values = (ctypes.c_long * 3)(1, 1_000_000, 2)
    assert fg.top_k(values, **ONE).winners[0].item == "1"


def test_masked_numbers_do_not_count():
    numpy = optional("numpy")
    with pytest.raises(TypeError, match="mask"):
        fg.top_k(numpy.ma.masked_array([1, 1_000_000, 2], mask=[0, 1, 0]), **ONE)


@pytest.mark.parametrize("odd", [fractions.Fraction(1, 3), decimal.Decimal("0.1")])
def test_lists_are_not_rounded(odd):
    with pytest.raises(TypeError, match="int and float"):
        fg.top_k([1.5, odd], kind="general", sensitivity=1, **ONE)
    with pytest.raises(ValueError, match="rounded"):
        fg.top_k([1.5, 2**53 + 1], kind="general", sensitivity=1, **ONE)


def test_the_counted_declaration_is_not_an_option():
    with pytest.raises(TypeError, match="counted"):
        fg.measure([3, 4], counted=True, items=["0"], unit="customer", epsilon=1, ledger=None)
    with pytest.raises(ValueError, match="unit"):
        fg.measure([3, 4], items=["0"], unit="row", epsilon=1, ledger=None)


@pytest.mark.parametrize("text", ["not json", "{}", '{"epsilon":{"reserved":"1","spent":"1"},"mechanism":"top_k"}'])
def test_other_documents_are_refused(text):
    with pytest.raises(ValueError, match="document"):
        other = fg.Release(text)
        fg.estimate(other, other)


def test_noise_of_the_checker_serves_within_the_call_alone():
    kept = []

    def mechanism(answers, noise):
        kept.append(noise)
        return [answers[0] + noise.geometric(1)]

    same = lambda first, second, output, tape: [tape[0] + first[0] - second[0]]  # noqa: E731
    back = lambda first, second, output, tape: [tape[0] - first[0] + second[0]]  # noqa: E731
    fg.verify(mechanism, align=same, recover=back, epsilon=1, pairs=[([1], [0])], tapes=3)
    with pytest.raises(ValueError, match="within the call"):
        kept[0].geometric(1)


def test_the_checker_wants_pairs():
    with pytest.raises(ValueError, match="pair"):
        fg.verify(lambda answers, noise: [0], align=lambda *a: [], recover=lambda *a: [], epsilon=1, pairs=[])


def test_another_rounding_mode_is_refused_at_each_release():
    code = ("import ctypes, ctypes.util, freegap as fg\n"
            "one = lambda: fg.top_k([1, 2], k=1, epsilon=1, measure=0, ledger=None)\n"
            "one()\n"
            "ctypes.CDLL(ctypes.util.find_library('m') or 'libm.so.6').fesetround(0x800)\n"
            "try:\n    one()\nexcept fg.MachineFault as fault:\n    print(fault)\n")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "round to nearest" in result.stdout, result


@pytest.mark.parametrize("values", [[-1, 5], (3, -2), "int64", "int32"])
def test_negative_counts_are_refused(values):
    numpy = optional("numpy")
    values = numpy.array([4, -2, 1], dtype=values) if isinstance(values, str) else values
    for call in (lambda **more: fg.top_k(values, k=1, measure=0, **more), lambda **more: fg.top_k(values, k=1, **more),
                 lambda **more: fg.top_k_above(values, k=1, threshold=0, **more), lambda **more: fg.measure(values, items=[0], **more),
                 lambda **more: fg.sparse_vector(values, k=1, threshold=0, **more), lambda **more: fg.top_k(values, k=1, range=(0, 9), **more)):
        with pytest.raises(ValueError, match="a count must not be negative"):
            call(epsilon=1, ledger=None)
    fg.top_k(values, k=1, kind="general", sensitivity=1, epsilon=1, ledger=None)
    large = numpy.zeros(5000, dtype="int64")
    large[7] = -1
    with pytest.raises(ValueError, match="a count must not be negative"):
        fg.top_k(large, k=1, epsilon=1, ledger=None)
    fg.top_k(large, k=1, measure=0, epsilon=1, ledger=None)  # the one exception: docs/decisions/0025


def test_a_frame_needs_the_name_of_a_column():
    for name in ("pandas", "polars", "pyarrow"):
        package = optional(name)
        frame = (package.table if name == "pyarrow" else package.DataFrame)({"product": ["a"], "n": [1]})
        with pytest.raises(TypeError, match="item= names the column"):
            fg.top_k(frame, k=1, epsilon=1, ledger=None)


@pytest.mark.parametrize("function", [fg.top_k, fg.simulate.top_k])
def test_a_lazy_frame_is_refused_without_a_warning_of_polars(function):
    polars = optional("polars")
    frame = polars.LazyFrame({"product": ["a"], "n": [1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="data frame"):
            function(frame, k=1, epsilon=1, **({"ledger": None} if function is fg.top_k else {"seed": 1}))


@pytest.mark.parametrize("function", fg.simulate.__all__)
def test_simulations_of_a_frame_say_how_to_count(function):
    simulate = getattr(fg.simulate, function)
    for name in ("pandas", "polars", "pyarrow"):
        package = optional(name)
        frame = (package.table if name == "pyarrow" else package.DataFrame)({"product": ["a"], "n": [1]})
        for options in ({}, {"item": "product", "unit": "n"}):
            with pytest.raises(TypeError, match="simulations take numbers.*groupby"):
                simulate(frame, k=1, epsilon=1, seed=1, **options)
    with pytest.raises(TypeError, match="simulations take numbers"):
        simulate([1, 2], item="product", epsilon=1, seed=1)
    assert len(fg.simulate.top_k([1, 2], item=None, k=1, epsilon=1, seed=1)) == 1
    frame = optional("pandas").DataFrame({"product": ["jam", "tea", "tea"] * 2, "customer": [1, 1, 2] * 2})
    counts = frame.groupby("product")["customer"].nunique()  # what the message says
    [release] = fg.simulate.top_k(counts.to_numpy(), labels=list(counts.index), items_are_public=True, k=2, epsilon=1000, seed=1)
    assert {row.item: round(row.measured) for row in release.winners} == {"tea": 2, "jam": 1}


def test_a_sampler_that_raises_in_a_simulation():
    def sampler():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fg.simulate.exponential([1.0, 2.0], epsilon=1, sensitivity=1, sampler=sampler, seed=1)
