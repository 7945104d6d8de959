// Charts as SVG. They draw numbers that the core computed; a table beside each says the same in words.
const names = {likelihood: 'ours (likelihood)', linear: 'the paper’s (linear)', measured: 'measuring alone'};
export const methods = Object.keys(names);
export const methodName = (method) => names[method];

export function shown(value, digits = 4) {
  if (value === null || value === undefined) {
    return '–';
  }
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(digits)));
}
export const percent = (share) => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// Round numbers between two ends.
function ticks(low, high, most) {
  const step = 10 ** Math.floor(Math.log10((high - low) / most));
  const wide = [1, 2, 5, 10].map((times) => times * step).find((candidate) => (high - low) / candidate <= most);
  const result = [];
  for (let i = Math.ceil(low / wide); i * wide <= high + 1e-9 * wide; ++i) {
    result.push(i * wide);
  }
  return result;
}

class Chart {
  constructor(place, height, {left = 10, right = 12, top = 26, bottom = 30, label}) {
    this.place = place;
    this.width = Math.max(280, place.clientWidth || 600);
    Object.assign(this, {height, left, right, top, bottom});
    this.svg = svg('svg', {viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, role: 'img', 'aria-label': label});
  }
  horizontal(low, high) {
    const span = this.width - this.left - this.right;
    this.x = (value) => this.left + ((value - low) / (high - low)) * span;
    for (const value of ticks(low, high, this.width < 480 ? 4 : 8)) {
      this.line(this.x(value), this.top, this.x(value), this.height - this.bottom, value === 0 ? 'zero' : 'grid');
      this.text(this.x(value), this.height - this.bottom + 16, shown(value), 'tick', 'middle');
    }
  }
  add(tag, attributes, ...children) {
    const element = svg(tag, attributes, ...children);
    this.svg.append(element);
    return element;
  }
  line(x1, y1, x2, y2, name) {
    return this.add('line', {x1, y1, x2, y2, class: name});
  }
  text(x, y, words, name = '', anchor = 'start') {
    return this.add('text', {x, y, class: name, 'text-anchor': anchor}, words);
  }
  mark(method, x, y) {
    const at = {class: `mark ${method}`};
    if (method === 'linear') {
      return this.add('path', {...at, d: `M${x - 5} ${y + 4}L${x + 5} ${y + 4}L${x} ${y - 5}Z`});
    }
    if (method === 'truth') {
      return this.add('path', {...at, d: `M${x} ${y - 6}L${x + 5} ${y}L${x} ${y + 6}L${x - 5} ${y}Z`});
    }
    return this.add('circle', {...at, cx: x, cy: y, r: method === 'measured' ? 4 : 5});
  }
  // Marks with their names, in as many lines as they need.
  legend(entries) {
    let x = 8;
    let y = 14;
    for (const [method, words] of entries) {
      const width = 26 + 7 * words.length;
      if (x > 8 && x + width > this.width) {
        x = 8;
        y += 18;
      }
      this.mark(method, x + 6, y - 4);
      this.text(x + 16, y, words, 'legend');
      x += width;
    }
  }
  static legendHeight(entries, width) {
    let lines = 1;
    let x = 8;
    for (const [, words] of entries) {
      const wide = 26 + 7 * words.length;
      if (x > 8 && x + wide > width) {
        x = 8;
        ++lines;
      }
      x += wide;
    }
    return 12 + 18 * lines;
  }
  show() {
    this.place.replaceChildren(this.svg);
  }
}

const rowHeight = (rows) => (rows > 25 ? 15 : 22);
const labelWidth = (rows, width) =>
  Math.min(12 + 7.5 * Math.max(2, ...rows.map((row) => row.item.length)), width < 480 ? 90 : 180);

// For each winner, how far its values are from its truth.
export function errorChart(place, rows) {
  if (rows.length === 0) {
    place.replaceChildren();
    return;
  }
  const used = methods.filter((method) => rows.some((row) => row.values[method] !== null));
  const entries = used.map((method) => [method, names[method]]);
  const high = rowHeight(rows.length);
  const top = Chart.legendHeight(entries, place.clientWidth || 600);
  const chart = new Chart(place, top + 34 + high * rows.length, {
    left: labelWidth(rows, place.clientWidth), top, label: 'How far the values of each winner are from the truth; the table below has the numbers',
  });
  const off = rows.flatMap((row) => [...used.map((method) => row.values[method]), ...(row.interval ?? [])]
    .filter((value) => value !== null).map((value) => Math.abs(value - row.truth)));
  const reach = 1.05 * Math.max(1, ...off);
  chart.horizontal(-reach, reach);
  chart.legend(entries);
  rows.forEach((row, i) => {
    const y = top + high * (i + 0.5);
    chart.text(chart.left - 8, y + 4, short(row.item, Math.floor(chart.left / 7.5)), 'label', 'end');
    if (row.interval) {
      const [low, up] = row.interval.map((end) => chart.x(end - row.truth));
      chart.line(low, y, up, y, row.holds ? 'interval' : 'interval missed');
    }
    for (const method of [...used].reverse()) {
      if (row.values[method] !== null) {
        chart.mark(method, chart.x(row.values[method] - row.truth), y);
      }
    }
  });
  chart.show();
}

// For each winner its truth, our estimate, and its gap as a bar: to the next winner, or over the threshold.
export function gapChart(place, rows, threshold) {
  const drawn = rows.filter((row) => row.gap !== null);
  if (drawn.length === 0) {
    place.replaceChildren();
    return;
  }
  const entries = [['truth', 'truth'], ['likelihood', names.likelihood], ['gap', 'gap']];
  const high = rowHeight(rows.length);
  const top = Chart.legendHeight(entries, place.clientWidth || 600);
  const chart = new Chart(place, top + 34 + high * drawn.length, {
    left: labelWidth(drawn, place.clientWidth), top, label: 'Truth, estimate and gap of each winner; the table below has the numbers',
  });
  const base = (row) => (threshold === null ? (row.values.likelihood ?? row.truth) - row.gap : threshold);
  const all = drawn.flatMap((row) => [row.truth, row.values.likelihood ?? row.truth, base(row), base(row) + row.gap]);
  const low = Math.min(...all);
  const up = Math.max(...all, low + 1);
  chart.horizontal(low - 0.03 * (up - low), up + 0.03 * (up - low));
  chart.legend(entries.slice(0, 2));
  const words = entries.slice(0, 2).map(([, name]) => 26 + 7 * name.length).reduce((a, b) => a + b, 8);
  const second = words + 60 > chart.width;
  chart.add('rect', {x: second ? 8 : words, y: (second ? 32 : 14) - 10, width: 18, height: 8, class: 'gap'});
  chart.text((second ? 8 : words) + 24, second ? 32 : 14, 'gap', 'legend');
  if (threshold !== null) {
    chart.line(chart.x(threshold), top, chart.x(threshold), chart.height - chart.bottom, 'threshold');
  }
  drawn.forEach((row, i) => {
    const y = top + high * (i + 0.5);
    chart.text(chart.left - 8, y + 4, short(row.item, Math.floor(chart.left / 7.5)), 'label', 'end');
    const [from, to] = [base(row), base(row) + row.gap].sort((a, b) => a - b).map(chart.x);
    chart.add('rect', {x: from, y: y - 5, width: Math.max(1, to - from), height: 10, class: 'gap'});
    chart.mark('truth', chart.x(row.truth), y);
    if (row.values.likelihood !== null) {
      chart.mark('likelihood', chart.x(row.values.likelihood), y);
    }
  });
  chart.show();
}

// One histogram of errors per method, on one scale.
export function histograms(place, study) {
  const used = methods.filter((method) => study.methods[method].estimates > 0);
  if (used.length === 0) {
    place.replaceChildren();
    return;
  }
  const each = 92;
  const chart = new Chart(place, 40 + each * used.length, {top: 6, left: 12, label: 'Histograms of errors, one per way to estimate; the table below has the numbers'});
  chart.horizontal(-study.reach, study.reach);
  const most = Math.max(...used.flatMap((method) => study.methods[method].histogram));
  used.forEach((method, i) => {
    const {histogram} = study.methods[method];
    const bottom = 6 + each * (i + 1);
    const wide = (chart.width - chart.left - chart.right) / histogram.length;
    histogram.forEach((count, b) => {
      const height = ((each - 26) * count) / most;
      chart.add('rect', {x: chart.left + b * wide, y: bottom - height, width: Math.max(1, wide - 1), height, class: `bar ${method}`});
    });
    chart.line(chart.left, bottom, chart.width - chart.right, bottom, 'axis');
    chart.mark(method, chart.left + 6, bottom - each + 18);
    chart.text(chart.left + 16, bottom - each + 22, names[method], 'legend');
  });
  chart.show();
}

// Standard errors with and without gaps against a parameter, both axes logarithmic.
export function curves(place, points, {name, at}) {
  const usable = points.filter((point) => point && point.with !== null);
  if (usable.length < 2) {
    place.replaceChildren();
    return;
  }
  const chart = new Chart(place, 260, {left: 46, top: 44, bottom: 40, label: `Standard error against ${name}, with and without gaps`});
  const xs = usable.map((point) => point.x);
  const ys = usable.flatMap((point) => [point.with, point.without]).filter((y) => y !== null);
  const log = (low, high, from, to) => (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  const x = log(Math.min(...xs), Math.max(...xs), chart.left, chart.width - chart.right);
  const [low, high] = [Math.min(...ys) / 1.1, 1.1 * Math.max(...ys)];
  const y = log(low, high, chart.height - chart.bottom, chart.top);
  const steps = (from, to) => {
    const found = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); ++power) {
      found.push(...[1, 2, 5].map((times) => times * 10 ** power));
    }
    return found.filter((value) => value >= from * 0.999 && value <= to * 1.001);
  };
  for (const value of steps(Math.min(...xs), Math.max(...xs))) {
    chart.line(x(value), chart.top, x(value), chart.height - chart.bottom, 'grid');
    chart.text(x(value), chart.height - chart.bottom + 16, shown(value), 'tick', 'middle');
  }
  for (const value of steps(low, high)) {
    chart.line(chart.left, y(value), chart.width - chart.right, y(value), 'grid');
    chart.text(chart.left - 6, y(value) + 4, shown(value), 'tick', 'end');
  }
  chart.text(chart.width - chart.right, chart.height - 6, name, 'legend', 'end');
  for (const [key, method] of [['without', 'measured'], ['with', 'likelihood']]) {
    const line = usable.filter((point) => point[key] !== null).map((point) => `${x(point.x)},${y(point[key])}`);
    chart.add('polyline', {points: line.join(' '), class: `curve ${method}`});
  }
  const here = usable.find((point) => point.x === at);
  if (here) {
    chart.mark('likelihood', x(at), y(here.with));
    if (here.without !== null) {
      chart.mark('measured', x(at), y(here.without));
    }
  }
  chart.legend([['likelihood', 'with gaps'], ['measured', 'without']]);
  chart.show();
}

// A session: one bar per question, from what was left before it to what is left after it.
export function budgetChart(place, session, value) {
  const total = value(session.total);
  const rows = session.entries;
  const high = 26;
  const entries = [['spent', 'spent'], ['back', 'reserved, given back'], ['refused', 'refused']];
  const chart = new Chart(place, 44 + 30 + high * Math.max(1, rows.length), {left: 34, top: 40, label: 'What each question of the session spends and gives back; the table below has the numbers'});
  chart.horizontal(0, total);
  let x = 8;
  let y = 14;
  for (const [name, words] of entries) {
    if (x > 8 && x + 26 + 7 * words.length > chart.width) {
      x = 8;
      y += 18;
    }
    chart.add('rect', {x, y: y - 10, width: 16, height: 10, class: `budget ${name}`});
    chart.text(x + 22, y, words, 'legend');
    x += 34 + 7 * words.length;
  }
  let used = 0;
  rows.forEach((row, i) => {
    const top = chart.top + high * i + 4;
    const bar = (from, width, name) =>
      chart.add('rect', {x: chart.x(from), y: top, width: Math.max(0, chart.x(from + width) - chart.x(from)), height: high - 8, class: `budget ${name}`});
    chart.text(chart.left - 10, top + 13, String(i + 1), 'label', 'end');
    if (row.refused) {
      bar(used, Math.min(value(row.reserved), total - used), 'refused');
      return;
    }
    bar(used, value(row.spent), 'spent');
    bar(used + value(row.spent), value(row.back), 'back');
    used += value(row.spent);
  });
  chart.line(chart.x(total), chart.top, chart.x(total), chart.height - chart.bottom, 'threshold');
  chart.show();
}
