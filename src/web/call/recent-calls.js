import { duration, endingSentence } from './call-texts.js';

const part = document.querySelector('#recent');
const list = document.querySelector('#recent-calls');
const SHOWN = 5;

/** Shows the newest calls, as far as the key may see them. */
export async function showRecentCalls(api) {
  const page = await api.get(`/agent/call-history?limit=${SHOWN}`).catch(() => undefined);
  part.hidden = !page || page.items.length === 0;
  list.replaceChildren(...(page?.items ?? []).map((call) => itemOf(call, api)));
}

function itemOf(call, api) {
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
  ending.textContent = call.ended_reason ? endingSentence(call.ended_reason) : 'Running.';
  item.append(name, facts, ending);
  if (call.transcription_summary) {
    const summary = document.createElement('span');
    summary.textContent = call.transcription_summary;
    item.append(summary);
  }
  if (call.has_transcript) item.append(transcriptLink(call, api));
  return item;
}

/** Requests the link on a click, as it expires after an hour. */
function transcriptLink(call, api) {
  const link = document.createElement('a');
  link.href = '#recent';
  link.textContent = 'Transcript';
  link.addEventListener('click', async (event) => {
    event.preventDefault();
    const path = `/agent/call-history/${encodeURIComponent(call.call_id)}/transcript?format=text`;
    try {
      const { url } = await api.get(path);
      const opener = document.createElement('a');
      Object.assign(opener, { href: url, target: '_blank', rel: 'noopener' });
      opener.click();
    } catch (refusal) {
      link.textContent = refusal.message;
    }
  });
  return link;
}

function latencyOf(stats) {
  const ms = stats?.p50_latency_ms;
  return typeof ms === 'number' ? [`answers in ${(ms / 1000).toFixed(2)} s`] : [];
}
