const ownList = document.querySelector('#transcript');
const NAMES = { user: 'You', agent: 'Agent' };

/** Shows the lines of a transcript. Existing elements stay in place. */
export function showTranscript(lines, { list = ownList, names = NAMES } = {}) {
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const known = new Map([...list.children].map((item) => [item.dataset.segment, item]));
  const items = lines.map((line) => update(known.get(line.segment) ?? newItem(line, names), line));
  for (const item of list.children) if (!items.includes(item)) item.remove();
  items.forEach((item, place) => {
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
  });
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

function newItem({ segment, role }, names) {
  const item = document.createElement('li');
  item.dataset.segment = segment;
  item.dataset.role = role;
  item.append(element('span', 'who', names[role]), element('p', 'words'));
  return item;
}

function update(item, { text, isFinal, latency }) {
  item.dataset.final = isFinal;
  const words = item.querySelector('.words');
  if (words.textContent !== text) words.textContent = text;
  if (latency && !item.querySelector('.latency')) item.append(latencyView(latency));
  return item;
}

/** The turn's latency as a bar and as a sum. */
function latencyView({ totalMs, parts }) {
  const view = element('div', 'latency');
  const bar = element('div', 'bar');
  bar.ariaHidden = 'true';
  const shown = parts.filter(({ ms }) => ms > 0);
  for (const { name, ms } of shown) {
    const part = element('span', '');
    part.dataset.part = name;
    part.style.flexGrow = ms;
    bar.append(part);
  }
  const total = element('strong', '', `${(totalMs / 1000).toFixed(2)} s`);
  const sum = element('span', 'sum', shown.map(({ name, ms }) => `${name} ${ms}`).join(' + '));
  sum.append(` = ${totalMs} ms`);
  view.append(total, bar, sum);
  return view;
}

function element(tag, className, text = '') {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
