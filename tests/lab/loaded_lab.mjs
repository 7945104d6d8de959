// The core of the lab in Node.js: copied beside a package.json that says that its files are modules.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

export async function loadedLab(lab) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lab'));
  process.on('exit', () => fs.rmSync(folder, {recursive: true}));
  fs.cpSync(lab, folder, {recursive: true});
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  const module = (name) => import(pathToFileURL(path.join(folder, name)));
  const {default: load} = await module('freegap.js');
  const {caller} = await module('caller.js');
  const core = await load({wasmBinary: fs.readFileSync(path.join(folder, 'freegap.wasm'))});
  return {ask: caller(core), folder, ...await module('state.js')};
}
