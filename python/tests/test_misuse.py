"""What must be an error in Python, never a crash or another answer."""

import ctypes
import decimal
import fractions
import subprocess
import sys

import pytest

import freegap as fg

ONE = {"k": 1, "epsilon": 1, "measure": 0, "ledger": None}


def test_a_buffer_without_strides():
    values = (ctypes.c_long * 3)(1, 1_000_000, 2)
    assert fg.top_k(values, **ONE).winners[0].item == "1"


def test_masked_numbers_do_not_count():
    numpy = pytest.importorskip("numpy")
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
