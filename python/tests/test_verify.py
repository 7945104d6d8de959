"""The alignment checker on mechanisms written in Python: right ones hold, wrong ones are caught."""

from fractions import Fraction

import pytest

import freegap as fg
from counting import optional

PAIRS = [([3, 5], [4, 4]), ([4, 4], [3, 5]), ([0, 0], [1, 1]), ([2, 1], [2, 0])]


def duel(answers, noise, rate="1/2"):
    """Which of two answers is larger, and by how much."""
    first, second = (answer + noise.laplace(rate) for answer in answers)
    return [0, first - second] if first >= second else [1, second - first]


def moved(sign):
    def move(first, second, output, draws):
        winner, loser = output[0], 1 - output[0]
        draws[winner] += sign * ((second[loser] - first[loser]) - (second[winner] - first[winner]))
        return draws

    return move


def check(mechanism, align=moved(1), recover=moved(-1), **options):
    return fg.verify(mechanism, align=align, recover=recover, **{"epsilon": 1, "pairs": PAIRS, "tapes": 100, **options})


@pytest.mark.parametrize("pairs, error", [([([1.5], [2])], TypeError), ([([1], ["2"])], TypeError), (None, TypeError), ([1, 2], TypeError),
                                          ([([1], [2], [3])], TypeError), ([(1, 2)], TypeError), ([([2**70], [1])], ValueError)])
def test_pairs_that_are_none(pairs, error):
    with pytest.raises(error, match="pairs: .*whole numbers"):
        check(duel, pairs=pairs)


def test_pairs_of_numpy():
    numpy = optional("numpy")
    assert check(duel, pairs=[(numpy.array(first), tuple(map(numpy.int32, second))) for first, second in PAIRS]).holds


def test_functions_are_called():
    for call in (lambda: check(None), lambda: check(duel, align=3), lambda: check(duel, recover="x")):
        with pytest.raises(TypeError, match="give functions"):
            call()


@pytest.mark.parametrize("option, words", [("epsilon", "epsilon: give a str, int"), ("tapes", "tapes: give an int"), ("seed", "seed: give an int")])
def test_none_is_told_what_to_give(option, words):
    with pytest.raises(TypeError, match=words):
        check(duel, **{option: None})
    for draw in (lambda noise: noise.laplace(None), lambda noise: noise.geometric(None)):
        with pytest.raises(TypeError, match="rate: give a str, int"):
            check(lambda answers, noise: [draw(noise)])
    with pytest.raises(TypeError, match="n: give an int"):
        check(lambda answers, noise: [noise.below(None)])


def test_a_right_mechanism_holds():
    found = check(duel)
    assert found.holds and found.counterexample is None
    assert found.replays == 400
    assert found.worst_cost == Fraction(1)  # two ticks at rate 1/2


@pytest.mark.parametrize("mechanism, align, recover, part", [
    (lambda answers, noise: duel(answers, noise, 1), moved(1), moved(-1), "costs"),                        # half the noise
    (lambda answers, noise: [*duel(answers, noise), answers[0]], moved(1), moved(-1), "output differs"),   # shows a secret
    (duel, lambda first, second, output, draws: draws, moved(-1), "output differs"),
    (duel, lambda first, second, output, draws: draws[:1], moved(-1), "number of draws"),
    (duel, moved(1), lambda first, second, output, draws: [0, 0], "recovered"),
    (lambda answers, noise: [sum(noise.laplace(1) for _ in range(answers[0] + 1)) * 0],
     lambda first, second, output, draws: draws, lambda first, second, output, draws: draws, "draws"),     # as many draws as the secret
])
def test_wrong_ones_are_caught(mechanism, align, recover, part):
    found = check(mechanism, align, recover)
    assert not found.holds and part in found.counterexample


def test_one_sided_noise_and_uniform_draws():
    def mechanism(answers, noise):
        return [answers[0] + noise.geometric(1), noise.below(5)]

    def up(first, second, output, draws):
        return [draws[0] + first[0] - second[0], draws[1]]

    def down(first, second, output, draws):
        return [draws[0] - first[0] + second[0], draws[1]]

    assert check(mechanism, up, down, pairs=[([4], [3])]).holds
    assert "negative" in check(mechanism, up, down, pairs=[([3], [4])]).counterexample


def test_errors_come_as_they_are():
    def raises(answers, noise):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        check(raises)
    with pytest.raises(TypeError, match="whole numbers"):
        check(lambda answers, noise: ["text"])
    with pytest.raises(ValueError):
        check(lambda answers, noise: [noise.laplace(-1)])
    with pytest.raises(ValueError):
        check(duel, epsilon=0)
    with pytest.raises(ValueError):
        check(duel, tapes=0)
