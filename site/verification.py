"""The page of the verification suite, from the document that `freegap verify --format json` prints."""


def figure(value):
    return "" if value is None else f"{value:.3f}"


def cell(text):
    return text.replace("|", "\\|")


def page(document):
    rows, bad = document["rows"], document["bad_variants"]
    held, caught = sum(row["holds"] for row in rows), sum(variant["caught"] for variant in bad)
    parts = [f"""# Verification of this release

`freegap verify` checks the very code that makes releases ([how](verify.md)). This is what version {document["freegap"]} printed when this site was
built: **{held} of {len(rows)} checks hold, {caught} of {len(bad)} mechanisms that are known to be wrong were caught.** Run it yourself:

    freegap verify --quick

The figures are losses divided by the stated cost: 1 is the whole of it, and nothing may be above 1 by more than rounding.

| column | what it is |
|---|---|
| replays | tapes of noise on which the proof's alignment was replayed |
| alignment | the largest cost of an alignment, computed exactly |
| exact | the largest loss over all outcomes on small inputs, by enumeration |
| black box | a lower bound on the loss from many runs of the public function |
| same | the distribution is that of the reference, by enumeration |
"""]
    for mechanism in dict.fromkeys(row["mechanism"] for row in rows):
        parts.append(f"## {mechanism[0].upper()}{mechanism[1:]}\n\n| variant | replays | alignment | exact | black box | same | |\n|---|--:|--:|--:|--:|---|---|\n" + "".join(
            f"| {cell(row['variant'])} | {format(row['replays'], ',') if row['replays'] else ''} | {figure(row['alignment'])} | {figure(row['exact'])} | {figure(row['black_box'])} "
            f"| {'yes' if row['same_law'] else ''} | {'holds' if row['holds'] else '**fails**: ' + cell(row['problem'])} |\n"
            for row in rows if row["mechanism"] == mechanism))
    parts.append("## Known to be wrong\n\nMechanisms from the literature and from mistakes of our own, each of which must be caught.\n\n"
                 "| mechanism | caught | by | evidence |\n|---|---|---|---|\n" + "".join(
                     f"| {cell(variant['name'])} | {'yes' if variant['caught'] else '**no**'} "
                     f"| {', '.join(tool for tool in ('alignment', 'enumeration') if variant[f'by_{tool}'])} | {cell(variant['evidence'])} |\n"
                     for variant in bad))
    return "\n".join(parts)
