// What the page shows, as text in its address: a link restores it. Members at their defaults are left out.
export const defaults = {
  tab: 'run', data: 'small', mechanism: 'top', k: '10', epsilon: '0.7', measure: '50', threshold: '200', noise: 'exponential',
  confidence: '0.95', seed: '1', target: '20', delta: '1e-9', most: '20', total: '2', session: 'top,5,0.5,0;adaptive,10,0.7,200;above,10,0.7,200',
};

export function fromHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const state = {...defaults};
  for (const key of Object.keys(defaults)) {
    if (given.has(key)) {
      state[key] = given.get(key);
    }
  }
  return state;
}

export function toHash(state) {
  const changed = Object.entries(state).filter(([key, value]) => key in defaults && value !== defaults[key]);
  return `#${new URLSearchParams(changed)}`;
}

// The members of a request that the mechanism of this name takes.
function question(mechanism, threshold) {
  switch (mechanism) {
    case 'identity':
    case 'estimates':
      return {verb: 'top', above: threshold, prefer: mechanism};
    case 'above':
      return {verb: 'above', threshold};
    case 'adaptive':
      return {verb: 'above', threshold, adaptive: true};
    default:
      return {verb: 'top'};
  }
}

export const hasThreshold = (mechanism) => mechanism !== 'top';

export function request(state, input) {
  return {
    ...question(state.mechanism, state.threshold), input, k: Number(state.k), epsilon: state.epsilon,
    measure: `${state.measure}/100`, noise: state.noise, confidence: Number(state.confidence), seed: Number(state.seed),
  };
}

export function planRequest(state) {
  const {verb, adaptive} = question(state.mechanism, state.threshold);
  return {verb, adaptive, measure: `${state.measure}/100`, noise: state.noise};
}

// The plan of top-k for items nobody listed.
export function unknownRequest(state) {
  return {
    verb: 'top', k: Number(state.k), epsilon: state.epsilon, measure: `${state.measure}/100`, noise: state.noise,
    unknown_items: true, delta: state.delta, max_items: Number(state.most),
  };
}

// A session is a list of questions, each with mechanism, k, ε and threshold.
export function sessionOf(state) {
  return state.session.split(';').filter(Boolean).map((text) => {
    const [mechanism, k, epsilon, threshold] = text.split(',');
    return {mechanism, k, epsilon, threshold};
  });
}
export const sessionText = (session) =>
  session.map(({mechanism, k, epsilon, threshold}) => [mechanism, k, epsilon, threshold].join(',')).join(';');

export function sessionRequest(state, input) {
  const questions = sessionOf(state).map((asked, place) => ({
    ...question(asked.mechanism, asked.threshold), input, k: Number(asked.k), epsilon: asked.epsilon,
    measure: asked.mechanism === 'top' ? '1/2' : '0', seed: Number(state.seed) + place,
  }));
  return {ask: 'session', total: state.total, questions};
}

// The command that prints the same release.
export function command(asked) {
  const words = ['freegap', 'simulate', asked.verb, asked.input, '-k', asked.k, '--epsilon', asked.epsilon, '--measure', asked.measure];
  for (const name of ['above', 'prefer', 'threshold']) {
    if (asked[name] !== undefined) {
      words.push(`--${name}`, asked[name]);
    }
  }
  if (asked.adaptive) {
    words.push('--adaptive');
  }
  words.push('--noise', asked.noise, '--confidence', asked.confidence, '--runs', asked.runs ?? 1, '--seed', asked.seed);
  return words.map(String);
}
