"""Uses that a type checker must refuse, each on a line that says so: test_types.py."""

import duckdb
import polars

import freegap as fg
from freegap.typing import Neighbours

VALUES = [600, 20, 300]
CON = duckdb.connect()
LEDGER = fg.Ledger("books.db", dataset="shop")
SHOP = fg.Session(LEDGER)
RELEASE = fg.top_k(VALUES, k=1, epsilon=1, ledger=None)

fg.top_k(VALUES, k=1, epsilom=1, ledger=None)  # error: an option that is misspelt
fg.top_k(VALUES, k=1, epsilon=1)  # error: no ledger
fg.top_k(VALUES, epsilon=1, ledger=None)  # error: no k
fg.top_k(VALUES, 1, epsilon=1, ledger=None)  # error: k by its position
fg.top_k(VALUES, k="3", epsilon=1, ledger=None)  # error: k as a text
fg.top_k(VALUES, k=1, epsilon=None, ledger=None)  # error: no epsilon
fg.top_k(VALUES, k=1, epsilon=1, ledger="books.db")  # error: no ledger but a path
fg.top_k(VALUES, k=1, epsilon=1, neighbours="swap", ledger=None)  # error
fg.top_k(VALUES, k=1, epsilon=1, noise="gaussian", ledger=None)  # error
fg.top_k(VALUES, k=1, epsilon=1, estimator="best", ledger=None)  # error
fg.top_k(VALUES, k=1, epsilon=1, classic=1, ledger=None)  # error
fg.top_k(VALUES, k=1, epsilon=1, threshold=5, ledger=None)  # error: an option of top_k_above
fg.top_k("tea", k=1, epsilon=1, ledger=None)  # error
fg.top_k(["tea"], k=1, epsilon=1, ledger=None)  # error
fg.top_k(range(3), k=1, epsilon=1, ledger=None)  # error
fg.top_k(VALUES, labels="tea", items_are_public=True, k=1, epsilon=1, ledger=None)  # error: one text for several names
fg.top_k(VALUES, labels=[1.5], items_are_public=True, k=1, epsilon=1, ledger=None)  # error
fg.top_k(VALUES, labels=["a", "b"], universe=(0, 9), k=1, epsilon=1, ledger=None)  # error
fg.top_k_above(VALUES, threshold=5, k=1, epsilon=1, prefer="order", ledger=None)  # error
fg.sparse_vector(VALUES, k=1, epsilon=1, ledger=None)  # error: no threshold
fg.sparse_vector(VALUES, threshold=5, k=1, epsilon=1, order="rank", ledger=None)  # error
fg.sparse_vector(VALUES, threshold=5, k=1, epsilon=1, stop_rule="never", ledger=None)  # error
fg.exponential(VALUES, epsilon=1, sensitivity=1, item="product", ledger=None)  # error: it takes no rows
fg.exponential(VALUES, epsilon=1, sensitivity=1, kind="count", ledger=None)  # error
fg.exponential(VALUES, epsilon=1, sensitivity=1, sampler=1, ledger=None)  # error
fg.exponential(polars.LazyFrame(), epsilon=1, sensitivity=1, ledger=None)  # error
fg.measure(VALUES, epsilon=1, ledger=None)  # error: no items
fg.measure(VALUES, items="tea", epsilon=1, ledger=None)  # error
fg.measure(VALUES, items=[0], epsilon=1, range=5, ledger=None)  # error
fg.estimate(RELEASE, RELEASE, 0.9)  # error: confidence by its position
fg.estimate(RELEASE.winners)  # error
fg.median(VALUES, epsilon=1, ledger=None)  # error: no such function

RELEASE.winners[0].estimat  # error: no such member
RELEASE.winer  # error
RELEASE.winners[0].rank.upper()  # error
RELEASE.winners.append(RELEASE.winners[0])  # error
RELEASE.spent.foo  # error

fg.SparseVector(threshold=5, k=1, epsilon=1, sensitivity=1)  # error: no ledger
fg.SparseVector(threshold=5, k=1, epsilon=1, sensitivity=1, labels=["a"], ledger=None)  # error
fg.SparseVector(threshold=5, k=1, epsilon=1, sensitivity=1, ledger=None).ask("5")  # error
fg.Ledger("books.db")  # error: no data set
fg.Ledger.create("books.db", dataset="shop", epsilon=3, unit="customer", neighbours="swap")  # error
fg.Session("books.db")  # error
fg.Session(LEDGER, candidate=["tea"])  # error
fg.Session(LEDGER, item="product")  # error: it differs from call to call
SHOP.top_k(VALUES, k="3")  # error
SHOP.measure(VALUES)  # error
SHOP.SparseVector(order="file")  # error
SHOP.duckdb.top_k(CON, "sales", k=1)  # error: no item
SHOP.spark.top_k(VALUES, item="product", k=1)  # error
SHOP.postgres.exponential  # error

fg.duckdb.top_k(CON, "sales", item="product", k=1, epsilon=1, ledger=None)  # error: no unit
fg.duckdb.top_k("sales", CON, item="product", unit="row", k=1, epsilon=1, ledger=None)  # error: in another order
fg.duckdb.top_k(CON, "sales", item="product", unit="row", labels=["a"], k=1, epsilon=1, ledger=None)  # error
fg.duckdb.top_k(CON, source="sales", item="product", unit="row", k=1, epsilon=1, ledger=None)  # error: by its name
fg.postgres.measure(CON, "sales", item="product", unit="row", items=["tea"], epsilon=1, ledger=None)  # error
fg.spark.sparse_vector(polars.DataFrame(), item="product", unit="row", threshold=5, k=1, epsilon=1, ledger=None)  # error
fg.opendp.make_top_k(None, None, k=1, epsilon=1, ledger=None)  # error: OpenDP accounts for the cost
fg.plan.top_k(k=10, epsilon=1, threshold=5)  # error
fg.plan.sparse_vector(10, 1)  # error
fg.simulate.top_k(VALUES, k=1, epsilon=1)  # error: no seed
fg.simulate.top_k(VALUES, k=1, epsilon=1, seed=1, ledger=None)  # error
fg.simulate.measure(VALUES, items=[0], epsilon=1, seed=1).spent  # error: a list of releases
fg.plots.ledger(RELEASE)  # error
fg.verify(lambda answers: answers, align=max, recover=max, epsilon=1, pairs=[([3], [4])])  # error
word: Neighbours = "replaced"  # error
