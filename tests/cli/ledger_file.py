"""The file of a ledger, read and changed without freegap, from the description in docs/ledger.md."""

import hashlib
import sqlite3

COLUMNS = "sequence kind dataset total unit neighbours entry time who verb parameters reserved spent release details delta".split()


def chain(database):
    """The hashes of all rows, computed, each with the one that is stored."""
    previous = "0" * 64
    for row in database.execute(f"SELECT {','.join(COLUMNS)}, hash FROM event ORDER BY sequence").fetchall():
        text = previous.encode()
        fields = list(row[:-1])
        while len(fields) > 14 and fields[-1] is None:  # details and delta, at the end
            fields.pop()
        for value in fields:
            if value is None:
                text += b"-,"
            else:
                data = str(value).encode()
                text += str(len(data)).encode() + b":" + data + b","
        previous = hashlib.sha256(text).hexdigest()
        yield previous, row[-1]


def recomputed(path):
    """The head of a ledger."""
    hashes = list(chain(sqlite3.connect(path)))
    assert all(computed == stored for computed, stored in hashes), hashes
    return f"{len(hashes)}:{hashes[-1][0]}"


def forge(path, *changes):
    """Changes a ledger by statements with their values, and makes its hashes fit."""
    database = sqlite3.connect(path)
    for change, values in changes:
        database.execute(change, values)
    hashes = [computed for computed, _ in chain(database)]
    for i, computed in enumerate(hashes, 1):
        database.execute("UPDATE event SET hash = ? WHERE sequence = ?", (computed, i))
    database.execute("UPDATE head SET count = ?, hash = ?", (len(hashes), hashes[-1]))
    database.commit()
    database.close()


def added(sequence, **fields):
    """The statement that adds a row, for `forge`."""
    fields = {"sequence": sequence, "hash": "", **fields}
    return f"INSERT INTO event ({','.join(fields)}) VALUES ({','.join('?' * len(fields))})", tuple(fields.values())
