// The page: it reads the controls, asks the core and draws what comes back. It computes nothing that is private or statistical.
import {ask, askText} from './core.js';
import {budgetChart, curves, errorChart, gapChart, histograms, methodName, methods, percent, shown} from './charts.js';
import {command, fromHash, hasThreshold, planRequest, request, sessionOf, sessionRequest, sessionText, toHash, unknownRequest} from './state.js';

const element = (id) => document.getElementById(id);
const controls = [...document.querySelectorAll('[data-key]')];
const builtIn = {small: {transactions: 5000, seed: 1}, large: {transactions: 50000, seed: 1}};
// The budgets of the slider: round numbers from 0.01 to 100.
const budgets = [-2, -1, 0, 1].flatMap((power) => [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9].map((x) => String(Number((x * 10 ** power).toPrecision(2)))));
budgets.push('100');

let state = fromHash(location.hash);
let data = null;  // what was loaded: name, items, largest
let ownFile = null;  // the same of the user's file
let version = 0;  // of the state: an answer to an older one is not drawn

// A fraction of the core's as a number, to draw it.
function value(fraction) {
  const [up, down = '1'] = fraction.split('/');
  return Number(up) / Number(down);
}

function say(problem) {
  element('problem').textContent = problem ?? '';
  element('problem').hidden = !problem;
}

function table(place, caption, heads, rows) {
  const cell = (tag, content, scope) => {
    const made = document.createElement(tag);
    made.append(content);
    if (scope) {
      made.scope = scope;
    }
    return made;
  };
  const row = (cells) => {
    const made = document.createElement('tr');
    made.append(...cells);
    return made;
  };
  const head = document.createElement('thead');
  head.append(row(heads.map((text) => cell('th', text, 'col'))));
  const body = document.createElement('tbody');
  body.append(...rows.map((cells) => row(cells.map((content, i) => (i === 0 ? cell('th', content, 'row') : cell('td', content))))));
  const title = document.createElement('caption');
  title.append(caption);
  element(place).replaceChildren(title, head, body);
}

function tiles(place, entries) {
  element(place).replaceChildren(...entries.map(([words, number]) => {
    const tile = document.createElement('p');
    const strong = document.createElement('strong');
    strong.append(number);
    tile.append(strong, words);
    return tile;
  }));
}

// ------------------------------------------------------------------------------------------------------------- one run

function rowsOf(look) {
  const listed = (method) => {
    const release = look.releases[method];
    return release.winners ?? release.answers.filter((answer) => answer.above);
  };
  const lists = Object.fromEntries(methods.map((method) => [method, listed(method)]));
  return lists.likelihood.map((row, i) => {
    const item = row.item ?? row.query;
    const truth = look.truth[item];
    const {interval} = row;
    return {
      item, truth, gap: row.gap, interval, measured: row.measured ?? null,
      values: Object.fromEntries(methods.map((method) => [method, lists[method][i].estimate])),
      holds: interval === null ? null : interval[0] <= truth && truth <= interval[1],
    };
  });
}

function runSummary(rows, release) {
  const k = Number(state.k);
  const {reserved, spent} = release.epsilon;
  const cost = reserved === spent ? `ε = ${spent} spent.` : `ε = ${reserved} reserved, ${spent} spent, the rest given back.`;
  if (release.mechanism === 'top_k') {
    const least = data.largest[Math.min(k, data.largest.length) - 1][1];
    const right = rows.filter((row) => row.truth >= least).length;
    return `${right} of the ${rows.length} winners belong to the true top ${k}. ${cost}`;
  }
  const above = rows.filter((row) => row.truth > Number(state.threshold)).length;
  return `${rows.length} found above ${state.threshold}, of which ${above} truly are. ${cost}`;
}

async function drawRun(mine) {
  const asked = request(state, data.name);
  const look = await ask({ask: 'look', ...asked});
  if (mine !== version) {
    return;
  }
  const rows = rowsOf(look);
  const release = look.releases.likelihood;
  element('run-summary').textContent = runSummary(rows, release);
  errorChart(element('run-errors'), rows.filter((row) => methods.some((method) => row.values[method] !== null)));
  const toNext = release.mechanism === 'top_k' || release.winners?.[0]?.gap_to === 'next';
  gapChart(element('run-gaps'), rows, toNext ? null : Number(state.threshold));
  element('gaps-caption').textContent = toNext ?
    'The free gap: by how much each winner’s noisy value beats the next one’s. It costs nothing.' :
    'The free gap: by how much each noisy value is above the threshold. It costs nothing.';
  table('run-table', 'Winners of this run', ['item', 'truth', 'gap', ...methods.map(methodName), `${Math.round(100 * state.confidence)} % interval of ours`, 'holds the truth'],
    rows.map((row) => [row.item, shown(row.truth), shown(row.gap), ...methods.map((method) => shown(row.values[method])),
      row.interval ? `${shown(row.interval[0])} to ${shown(row.interval[1])}` : '–', row.holds === null ? '–' : row.holds ? 'yes' : 'no']));
  if (element('run-json').closest('details').open) {
    element('run-command').textContent = command(asked).join(' ');
    element('run-json').textContent = await askText({ask: 'simulate', ...asked});
  }
}

// ----------------------------------------------------------------------------------------------------------- many runs

const allRuns = 1000;

function showStudy(study) {
  element('runs-progress').value = study.runs;
  const {right, precision, recall, wanted} = study.selection;
  const top = state.mechanism === 'top';
  element('runs-summary').textContent = `${study.runs.toLocaleString('en')} of ${allRuns.toLocaleString('en')} runs with seed ${state.seed}.`;
  tiles('runs-tiles', [
    [top ? 'of the runs name exactly the true top k' : `of the runs name ${wanted} items, all of them rightly`, percent(right)],
    ['of what is named is right', percent(precision)],
    [`of the ${wanted} to be found are found`, percent(recall)],
    ['of our intervals hold the truth', percent(study.methods.likelihood.coverage)],
  ]);
  histograms(element('runs-histograms'), study);
  table('runs-table', 'Errors over all runs', ['way to estimate', 'root mean square error', 'bias', 'intervals that hold the truth', 'mean width of an interval'],
    methods.filter((method) => study.methods[method].estimates > 0).map((method) => {
      const {error, bias, coverage, width} = study.methods[method];
      return [methodName(method), shown(error), shown(bias, 2), percent(coverage), shown(width)];
    }));
}

async function drawRuns(mine) {
  const asked = request(state, data.name);
  let slice = 10;
  for (let runs = slice; mine === version; runs = Math.min(runs + slice, allRuns)) {
    const started = performance.now();
    const study = await ask({ask: 'study', ...asked, runs});
    if (mine !== version) {
      return;
    }
    showStudy(study);
    if (runs >= allRuns) {
      return;
    }
    // Slices of about 50 ms: another request waits no longer than that.
    slice = Math.max(1, Math.min(200, Math.round((slice * 50) / Math.max(1, performance.now() - started))));
  }
}

// ------------------------------------------------------------------------------------------------------------- planner

async function drawCurve(mine, place, base, key, values, at, name) {
  const points = [];
  for (let i = 0; i < values.length && mine === version; i += 4) {
    const part = values.slice(i, i + 4);
    const answers = await ask({ask: 'forecasts', forecasts: part.map((x) => ({...base, [key]: x}))});
    points.push(...answers.map((answer, j) => ({x: Number(part[j]), ...answer})));
  }
  if (mine === version) {
    curves(element(place), points, {name, at});
  }
}

async function drawPlanner(mine) {
  const base = planRequest(state);
  const k = Number(state.k);
  const {epsilon} = state;
  const [now] = await ask({ask: 'forecasts', forecasts: [{...base, k, epsilon}]});
  if (now.error) {
    throw new Error(now.error);
  }
  if (mine !== version) {
    return;
  }
  element('plan-summary').textContent = `With ε = ${epsilon} for everything, of which ${state.measure} % measures, and k = ${k}:`;
  const entries = [
    ['standard error with gaps, if the winners stand apart', `± ${shown(now.with, 3)}`],
    ['standard error by measuring alone, whatever the data', now.without === null ? '–' : `± ${shown(now.without, 3)}`],
    ['of the mean squared error saved by the gaps', now.without === null ? '–' : percent(1 - (now.with / now.without) ** 2)],
  ];
  tiles('plan-tiles', [...entries, ['best share to measure with', '…']]);
  const epsilons = [...new Set([...budgets.filter((_, i) => i % 3 === 0 && i > 5 && i < 44), epsilon])].sort((a, b) => value(a) - value(b));
  const counts = [...new Set([1, 2, 3, 5, 7, 10, 15, 20, 30, 50, k])].sort((a, b) => a - b);
  await drawCurve(mine, 'plan-k', {...base, epsilon}, 'k', counts, k, 'k');
  await drawCurve(mine, 'plan-epsilon', {...base, k}, 'epsilon', epsilons.filter((x) => !x.includes('/')), Number(epsilon), 'ε');
  if (mine !== version) {
    return;
  }
  const target = Number(state.target);
  const [plan, forError, forBudget] = await ask({ask: 'plans', plans: [{...base, k, epsilon}, {...base, k, target_error: target}, {...base, epsilon, target_error: target}]});
  if (mine !== version) {
    return;
  }
  if (!plan.error) {
    entries.push(['best share to measure with', plan.best_measure]);
    tiles('plan-tiles', entries);
  }
  element('target-epsilon').textContent = forError.error ? `ε for ± ${target}: ${forError.error}` :
    `ε for ± ${target} with k = ${k}: ${shown(value(forError.epsilon), 6)}.`;
  element('target-k').textContent = forBudget.error ? `k for ± ${target}: ${forBudget.error}` :
    `k for ε = ${epsilon} and ± ${target}: ${forBudget.winners} if the winners stand apart, ${forBudget.winners_whatever_the_data ?? 'none'} whatever the data.`;
  const [unknown] = await ask({ask: 'plans', plans: [unknownRequest(state)]});
  if (mine !== version) {
    return;
  }
  element('unknown-threshold').textContent = unknown.error ? `Threshold: ${unknown.error}` :
    `Threshold: ${Math.round(unknown.threshold.used)}. An item of so many people appears about every second time; items of far fewer can hardly appear.`;
}

// -------------------------------------------------------------------------------------------------------------- budget

const mechanismName = (mechanism) => element('mechanism').querySelector(`option[value=${mechanism}]`)?.textContent ?? mechanism;

async function drawBudget(mine) {
  const session = await ask(sessionRequest(state, data.name));
  if (mine !== version) {
    return;
  }
  const asked = sessionOf(state);
  element('budget-summary').textContent = `ε = ${session.spent} of ${session.total} spent, ${session.remaining} left.`;
  budgetChart(element('budget-chart'), session, value);
  table('budget-table', 'Questions of this session', ['question', 'answers', 'reserved', 'spent', 'given back', 'left', 'remove'], session.entries.map((entry, i) => {
    const {mechanism, k, threshold} = asked[i];
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.append('✕');
    remove.setAttribute('aria-label', `Remove question ${i + 1}`);
    remove.addEventListener('click', () => change({session: sessionText(asked.filter((_, other) => other !== i))}));
    const words = `${i + 1}. ${mechanismName(mechanism)}, k = ${k}${hasThreshold(mechanism) ? `, threshold ${threshold}` : ''}`;
    return entry.refused ? [words, 'refused', entry.reserved, '0', '–', entry.remaining, remove] :
      [words, String(entry.answers), entry.reserved, entry.spent, entry.back, entry.remaining, remove];
  }));
}

// ---------------------------------------------------------------------------------------------------------- everything

const views = {run: drawRun, runs: drawRuns, planner: drawPlanner, budget: drawBudget};

function showControls() {
  for (const control of controls) {
    if (control.value !== state[control.dataset.key]) {
      control.value = state[control.dataset.key];
    }
  }
  element('k-shown').value = state.k;
  element('measure-shown').value = `${state.measure} %`;
  const nearest = budgets.findIndex((budget) => Number(budget) >= value(state.epsilon) - 1e-12);
  element('epsilon-slider').value = nearest < 0 ? budgets.length - 1 : nearest;
  element('epsilon-slider').setAttribute('aria-valuetext', `ε = ${state.epsilon}`);
  for (const part of document.querySelectorAll('[data-tabs]')) {
    part.hidden = !part.dataset.tabs.split(' ').includes(state.tab);
  }
  element('threshold-row').hidden ||= !hasThreshold(state.mechanism);
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const chosen = tab.dataset.tab === state.tab;
    tab.setAttribute('aria-selected', chosen);
    tab.tabIndex = chosen ? 0 : -1;
    element(`view-${tab.dataset.tab}`).hidden = !chosen;
  }
}

// Loads the data set that the state names, unless it is there.
async function loadData() {
  if (state.data === 'file' && !ownFile) {
    state.data = 'small';
    history.replaceState(null, '', toHash(state));  // the address says what is shown
    element('data-status').textContent = 'This link is about a file that is not in the page. Drop it again; until then, made-up data.';
  }
  const name = state.data === 'file' ? ownFile.name : `${state.data}.csv`;
  if (data?.name === name) {
    return;
  }
  data = state.data === 'file' ? ownFile : {name, ...await ask({ask: 'quest', name, ...builtIn[state.data]})};
  showControls();
}

// Shows the state; answers whether all of it was drawn.
async function refresh() {
  const mine = ++version;
  const started = performance.now();
  showControls();
  try {
    await loadData();
    if (mine !== version) {
      return false;
    }
    say(null);
    await (views[state.tab] ?? drawRun)(mine);
  } catch (refused) {
    if (mine === version) {
      say(refused.message);
    }
  }
  if (mine !== version) {
    return false;
  }
  const took = performance.now() - started;
  element('timing').textContent = `Answered in ${took < 10 ? took.toFixed(1) : Math.round(took)} ms.`;
  element('status').textContent = `Ready: ${data ? `${data.items.toLocaleString('en')} items of ${data.name}` : ''}`;
  document.body.dataset.drawn = toHash(state);
  document.body.dataset.took = took;
  return true;
}

// Changes the state and the address. The back button takes back whole changes, not the steps of one that is not finished.
let editing = false;
function change(members, {finished = true} = {}) {
  const same = Object.entries(members).every(([key, given]) => state[key] === given);
  state = {...state, ...members};
  const hash = toHash(state);
  if (hash !== (location.hash || '#')) {
    try {
      history[editing ? 'replaceState' : 'pushState'](null, '', hash);
    } catch {
      // Some browsers allow so many changes per second only; the next one will do.
    }
  }
  editing = !finished;
  return same ? undefined : refresh();
}

async function takeFile(file) {
  const name = Object.keys(builtIn).some((own) => `${own}.csv` === file.name) ? `my ${file.name}` : file.name;
  try {
    if (file.size > 64 * 2 ** 20) {
      throw new Error(`${file.name}: this page reads files up to 64 MB`);
    }
    const text = await file.text();
    ownFile = {name, ...await ask({ask: 'load', name, text})};
  } catch (refused) {
    say(refused.message);
    element('data-status').textContent = 'The file was not taken.';
    return;
  }
  data = null;
  const option = element('data').querySelector('[value=file]');
  option.disabled = false;
  option.textContent = ownFile.name;
  element('data-status').textContent = `${ownFile.items.toLocaleString('en')} items of ${ownFile.name}. They stay in this page.`;
  const threshold = ownFile.largest[Math.min(9, ownFile.largest.length - 1)]?.[1];
  await change({data: 'file', ...(threshold === undefined ? {} : {threshold: String(threshold)})});
}

for (const control of controls) {
  const members = () => ({[control.dataset.key]: control.value});
  control.addEventListener('input', () => change(members(), {finished: false}));
  control.addEventListener('change', () => change(members()));
}
element('epsilon-slider').addEventListener('input', (event) => change({epsilon: budgets[event.target.value]}, {finished: false}));
element('epsilon-slider').addEventListener('change', (event) => change({epsilon: budgets[event.target.value]}));
element('again').addEventListener('click', () => change({seed: String((Number(state.seed) || 0) + 1)}));
element('settings').addEventListener('submit', (event) => event.preventDefault());
element('target-form').addEventListener('submit', (event) => event.preventDefault());
element('run-json').closest('details').addEventListener('toggle', () => refresh());
element('ask-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const asked = {mechanism: element('ask-mechanism').value, k: element('ask-k').value, epsilon: element('ask-epsilon').value, threshold: element('ask-threshold').value};
  change({session: sessionText([...sessionOf(state), asked])});
});
element('clear-session').addEventListener('click', () => change({session: ''}));

const tabs = [...document.querySelectorAll('[role=tab]')];
for (const tab of tabs) {
  tab.addEventListener('click', () => change({tab: tab.dataset.tab}));
  tab.addEventListener('keydown', (event) => {
    const steps = {ArrowRight: 1, ArrowLeft: -1, Home: -tabs.indexOf(tab), End: tabs.length - 1 - tabs.indexOf(tab)};
    if (event.key in steps) {
      event.preventDefault();
      const next = tabs[(tabs.indexOf(tab) + steps[event.key] + tabs.length) % tabs.length];
      next.focus();
      change({tab: next.dataset.tab});
    }
  });
}

element('file').addEventListener('change', (event) => event.target.files[0] && takeFile(event.target.files[0]));
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    element('drop').classList.toggle('over', kind === 'dragover');
    if (kind === 'drop' && event.dataTransfer.files[0]) {
      takeFile(event.dataTransfer.files[0]);
    }
  });
}
addEventListener('popstate', () => {
  editing = false;
  state = fromHash(location.hash);
  refresh();
});
let resized;
addEventListener('resize', () => {
  clearTimeout(resized);
  resized = setTimeout(refresh, 150);
});

refresh();
