// What the lab loads fits into 400 KB compressed, and names no other place: node size_test.mjs LAB
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [lab] = process.argv.slice(2);
let total = 0;
for (const name of fs.readdirSync(lab).sort()) {
  const bytes = fs.readFileSync(path.join(lab, name));
  const size = zlib.gzipSync(bytes, {level: 9}).length;
  total += size;
  console.log(`${name.padEnd(14)}${(bytes.length / 1024).toFixed(1).padStart(9)} KB${(size / 1024).toFixed(1).padStart(9)} KB compressed`);
  if (/\.(html|css)$/.test(name)) {
    assert.doesNotMatch(bytes.toString(), /(src|href|url)\s*[=(]\s*["']?(https?:)?\/\//, name);
  }
}
console.log(`${'together'.padEnd(26)}${(total / 1024).toFixed(1).padStart(9)} KB compressed`);
assert.ok(total <= 400 * 1024, 'more than 400 KB');
