// The lab gives the same release as the program for the same seed. Every mechanism that the lab offers, with every distribution
// of noise, on 200 seeds. Both ways of calling are made from one request.
//
//     node same_release_test.mjs PROGRAM LAB [SEEDS]

import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {promisify} from 'node:util';

import {loadedLab} from './loaded_lab.mjs';

const run = promisify(execFile);
const [program, lab, seeds = '200'] = process.argv.slice(2);
const {ask, folder, command, defaults, request, unknownRequest} = await loadedLab(lab);

// Data: made-up baskets, which the lab generates itself; many ties; few items with long names; two items.
const files = {'crowd.csv': 'item,count\n', 'names.csv': 'item,count\n', 'pair.csv': 'item,count\n"a, b",7\nc,5\n'};
for (let i = 0; i < 300; ++i) {
  files['crowd.csv'] += `i${i},${100 + (i % 4)}\n`;
}
for (let i = 0; i < 12; ++i) {
  files['names.csv'] += `${'größe '.repeat(i + 1).trim()},${1000000 - 90000 * i}\n`;
}
const quest = JSON.parse(ask({ask: 'quest', name: 'quest.csv', transactions: 5000, seed: 1}));
assert.equal(quest.items, 1000);
files['quest.csv'] = quest.text;
for (const [name, text] of Object.entries(files)) {
  fs.writeFileSync(path.join(folder, name), text);
  const answer = JSON.parse(ask({ask: 'load', name, text}));
  assert.equal(answer.error, undefined);
}

// The generator is the program's, too.
const {stdout: baskets} = await run(program, ['quest', 'T10I4D100K', '--transactions', '5000', '--seed', '1'], {cwd: folder, maxBuffer: 1e9});
const counted = new Map(Array.from({length: 1000}, (_, i) => [String(i), 0]));
for (const item of baskets.split(/\s+/).filter(Boolean)) {
  counted.set(item, counted.get(item) + 1);
}
assert.equal(quest.text, `item,count\n${[...counted].map((pair) => `${pair.join(',')}\n`).join('')}`);

// The program's mathematical functions fuse multiplications and additions where the processor can; WebAssembly cannot. glibc's plain
// variants are asked for, which are those of the lab's C library.
const options = {cwd: folder, maxBuffer: 1e9, env: {...process.env, GLIBC_TUNABLES: 'glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2'}};

async function compare(asked, what) {
  const {stdout} = await run(program, command(asked).slice(1), options);
  assert.equal(ask({ask: 'simulate', ...asked}), stdout, `${what}: ${command(asked).join(' ')}`);
}

const mechanisms = {
  top: {}, identity: {threshold: '150'}, estimates: {threshold: '150'}, above: {threshold: '120'}, adaptive: {threshold: '120'},
};
const noises = ['exponential', 'laplace', 'geometric'];
const inputs = ['quest.csv', 'crowd.csv', 'quest.csv', 'names.csv', 'pair.csv'];
let compared = 0;
const tasks = [];
for (const [mechanism, more] of Object.entries(mechanisms)) {
  for (const noise of noises) {
    for (let seed = 0; seed < Number(seeds); ++seed) {
      const input = inputs[seed % inputs.length];
      const state = {
        ...defaults, mechanism, ...more, noise, seed: String(seed * 7919), k: String(input === 'pair.csv' ? 1 : 1 + (seed % 10)),
        epsilon: ['0.7', '0.05', '7/3', '20'][seed % 4], measure: ['50', '0', '80', '35'][(seed >> 2) % 4], confidence: ['0.95', '0.8'][seed % 2],
      };
      tasks.push(async () => {
        await compare({...request(state, input), runs: 1 + (seed % 2)}, `${mechanism}, ${noise}, seed ${state.seed}`);
        ++compared;
      });
    }
  }
}
for (const estimator of ['linear', 'measured']) {
  for (let seed = 0; seed < 10; ++seed) {
    tasks.push(() => compareEstimator(estimator, seed));
  }
}
async function compareEstimator(estimator, seed) {
  const asked = {...request({...defaults, seed: String(seed)}, 'quest.csv'), estimator};
  const {stdout} = await run(program, [...command(asked).slice(1), '--estimator', estimator], options);
  assert.equal(ask({ask: 'simulate', ...asked}), stdout, `estimator ${estimator}, seed ${seed}`);
  ++compared;
}
const problems = [];
await Promise.all(Array.from({length: 2}, async () => {
  while (tasks.length > 0) {
    try {
      await tasks.pop()();
    } catch (error) {
      problems.push(error);
    }
  }
}));
for (const problem of problems.slice(0, 3)) {
  console.error(problem.message.slice(0, 3000));
}

// Plans, as far as the page asks for them.
for (const plan of [unknownRequest({...defaults, epsilon: '2'}), {verb: 'top', k: 10, epsilon: '0.7', measure: '1/2', noise: 'laplace'}, {verb: 'above', k: 5, epsilon: '1', measure: '0', noise: 'exponential', adaptive: true}]) {
  const {stdout} = await run(program, ['plan', plan.verb, '-k', plan.k, '--epsilon', plan.epsilon, '--measure', plan.measure, '--noise', plan.noise, ...(plan.adaptive ? ['--adaptive'] : []), ...(plan.unknown_items ? ['--unknown-items', '--delta', plan.delta, '--max-items', plan.max_items] : []), '--format', 'json'].map(String), options);
  assert.equal(`${ask({ask: 'plan', ...plan})}\n`, stdout, `plan ${plan.verb}`);
}

console.log(`${compared} releases are the same byte for byte, ${problems.length} are not`);
assert.equal(problems.length, 0);
