// The core, in a worker. Requests are answered in the order in which they are asked.
const worker = new Worker(new URL('./worker.js', import.meta.url), {type: 'module'});
const waiting = new Map();
let last = 0;

worker.onmessage = ({data: {id, answer}}) => {
  waiting.get(id)(answer);
  waiting.delete(id);
};
worker.onerror = (event) => {
  document.getElementById('status').textContent = `The core did not load: ${event.message ?? 'see the console'}`;
};

// The answer as text.
export function askText(request) {
  return new Promise((resolve) => {
    waiting.set(++last, resolve);
    worker.postMessage({id: last, request});
  });
}

// The answer as an object. Throws what the core refuses.
export async function ask(request) {
  const answer = JSON.parse(await askText(request));
  if (answer.error !== undefined) {
    throw new Error(answer.error);
  }
  return answer;
}
