#!/usr/bin/env bash
# The main use of freegap, from data to private answers with error bars, on synthetic transactions.
# usage: examples/demo.sh PROGRAM FOLDER; an existing folder is replaced.
set -euo pipefail

freegap=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
cd "$2"

# Shows a command as a user would type it, then runs it.
run() {
  printf '\n$ freegap'
  printf ' %s' "$@"
  printf '\n'
  "$freegap" "$@"
}

run quest T10I4D100K --seed 1 --out sample.dat
run budget create --ledger ledger.db --dataset shop --epsilon 1 --unit transaction
run top sample.dat -k 10 --epsilon 0.7 --universe 0..999 --ledger ledger.db --dataset shop --format table

echo
echo 'The data is synthetic, so the true answer can be shown beside the private one:'
"$freegap" count sample.dat --format csv 2>/dev/null >counts.csv
"$freegap" budget show 1 --ledger ledger.db --format csv >winners.csv
awk -F, '
  FILENAME == "counts.csv" { if (FNR > 1) { count[$1] = $2; place[FNR - 1] = $1 } next }
  FNR == 1 { printf "%5s  %22s  %12s  %22s\n", "rank", "private item: estimate", "its true count", "truly at this rank" }
  FNR > 1 { printf "%5d  %12s: %8.1f  %14d  %12s: %8d\n", $1, $2, $6, count[$2], place[$1], count[place[$1]] }
' counts.csv winners.csv

left=$("$freegap" budget show --ledger ledger.db --dataset shop --format csv | awk -F, 'NR == 2 { print $5 }')
seq 0 999 >items.txt # the same public items, as a list
run above sample.dat --threshold 3500 -k 10 --epsilon "$left" --adaptive --candidates items.txt \
  --ledger ledger.db --dataset shop --format table
run budget show --ledger ledger.db --format table
run budget history --ledger ledger.db --format table
