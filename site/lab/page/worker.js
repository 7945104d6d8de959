// Runs the core beside the page, so that the page stays responsive. One request in, one answer out.
import load from './freegap.js';
import {caller} from './caller.js';

const ready = load().then(caller);

onmessage = async ({data: {id, request}}) => {
  const ask = await ready;
  postMessage({id, answer: ask(request)});
};
