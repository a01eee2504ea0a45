import { duration, endingSentence } from './call-words.js';

const part = document.querySelector('#recent');
const list = document.querySelector('#recent-calls');
const SHOWN = 5;

/** Shows the newest calls, as far as the key may see them. */
export async function showRecentCalls(api) {
  const page = await api.get(`/agent/call-history?limit=${SHOWN}`).catch(() => undefined);
  part.hidden = !page || page.items.length === 0;
  list.replaceChildren(...(page?.items ?? []).map(itemOf));
}

function itemOf(call) {
  const item = document.createElement('li');
  const name = document.createElement('strong');
  name.textContent = call.agent_name;
  const facts = document.createElement('span');
  facts.textContent = [
    new Date(call.call_timestamp).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }),
    duration(call.call_duration_seconds),
    ...latencyOf(call.transcription_stats),
  ].join(' · ');
  const ending = document.createElement('span');
  ending.textContent = call.ended_reason ? endingSentence(call.ended_reason) : 'Still going on.';
  item.append(name, facts, ending);
  return item;
}

function latencyOf(stats) {
  const ms = stats?.p50_latency_ms;
  return typeof ms === 'number' ? [`answers in ${(ms / 1000).toFixed(2)} s`] : [];
}
