import { duration, endingSentence, stateName } from '../call/call-texts.js';
import { showTranscript } from '../call/transcript-view.js';
import { playMp3 } from '../mp3-stream.js';
import { showStatus } from '../status.js';
import { applyEvent, monitoredLines, UNKNOWN_CALL } from './monitored-call.js';
import { SseParser } from './sse-parser.js';

const part = document.querySelector('#live');
const list = document.querySelector('#live-calls');
const watchedView = document.querySelector('#watched');
const stateView = document.querySelector('#watched-state');
const transcript = document.querySelector('#watched-transcript');
const sayForm = document.querySelector('#dictate-form');
const listenButton = document.querySelector('#listen');
const endButton = document.querySelector('#end-call');
const closeButton = document.querySelector('#unwatch');
const player = document.querySelector('#live-player');

const NAMES = { user: 'Caller', agent: 'Agent' };
const LOOK_MS = 3_000;

/** The panel for monitoring running calls. @returns a function that closes it */
export async function createMonitoringPanel(api) {
  const live = new LivePart(api);
  await live.look();
  return () => live.close();
}

class LivePart {
  #api;
  #controls = new AbortController();
  #timer;
  #callId;
  #watching = new AbortController();
  #listening = new AbortController();

  constructor(api) {
    this.#api = api;
    const { signal } = this.#controls;
    const on = (target, event, act) => target.addEventListener(event, act, { signal });
    on(sayForm, 'submit', (event) => {
      event.preventDefault();
      void this.#say();
    });
    on(listenButton, 'click', () => void this.#listen(listenButton.ariaPressed !== 'true'));
    on(endButton, 'click', () => void this.#end());
    on(closeButton, 'click', () => this.#unwatch());
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  close() {
    clearInterval(this.#timer);
    this.#controls.abort();
    this.#unwatch();
    part.hidden = true;
  }

  /** Shows which calls run, as far as the key may see them. */
  async look() {
    try {
      const { calls } = await this.#api.get('/calls/live');
      if (this.#controls.signal.aborted) return;
      list.replaceChildren(...calls.map((call) => this.#itemOf(call)));
      part.hidden = calls.length === 0 && watchedView.hidden;
    } catch (error) {
      if (error.status !== 403) return; // The next request may succeed.
      clearInterval(this.#timer);
      part.hidden = true;
    }
  }

  #itemOf(call) {
    const item = document.createElement('li');
    const facts = document.createElement('span');
    const since = (Date.now() - Date.parse(call.started_at)) / 1000;
    facts.textContent = [
      call.agent_name,
      call.from_number ?? call.call_type,
      ...(call.started_at ? [duration(Math.max(0, since))] : []),
    ].join(' · ');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet';
    button.textContent = 'Watch';
    button.ariaPressed = String(call.call_id === this.#callId);
    button.addEventListener('click', () => void this.#watch(call.call_id));
    item.append(facts, button);
    return item;
  }

  async #watch(callId) {
    this.#unwatch();
    this.#callId = callId;
    this.#watching = new AbortController();
    const { signal } = this.#watching;
    let call = UNKNOWN_CALL;
    watchedView.hidden = false;
    this.#show(call);
    try {
      for await (const event of this.#events(callId, signal)) {
        call = applyEvent(call, event);
        if (!signal.aborted) this.#show(call);
      }
    } catch (error) {
      if (!signal.aborted) showStatus(error.message, 'fault');
    }
  }

  async *#events(callId, signal) {
    const response = await this.#api.request(`/calls/${callId}/live`, {
      signal,
      accept: 'text/event-stream',
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const lines = new SseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* lines.push(value);
    }
  }

  #show(call) {
    stateView.textContent = call.reason ? endingSentence(call.reason) : stateName(call.state);
    const isOver = call.reason !== undefined;
    for (const control of [listenButton, endButton, ...sayForm.elements]) control.disabled = isOver;
    showTranscript(monitoredLines(call), { list: transcript, names: NAMES });
  }

  #unwatch() {
    this.#watching.abort();
    this.#listening.abort();
    this.#callId = undefined;
    watchedView.hidden = true;
    void this.#listen(false);
  }

  async #listen(isWanted) {
    this.#listening.abort();
    listenButton.ariaPressed = String(isWanted);
    player.pause();
    if (!isWanted) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    try {
      const response = await this.#api.request(`/calls/${this.#callId}/audio`, { signal });
      await playMp3(response, player, () => showStatus('Listening to the call.'));
    } catch (error) {
      if (!signal.aborted) showStatus(error.message, 'fault');
    }
    if (!signal.aborted) listenButton.ariaPressed = 'false';
  }

  async #say() {
    const { words } = sayForm.elements;
    const text = words.value.trim();
    if (!text) return;
    try {
      await this.#api.request(`/calls/${this.#callId}/say`, { method: 'POST', body: { text } });
      words.value = '';
    } catch (error) {
      showStatus(error.message, 'fault');
    }
  }

  async #end() {
    try {
      await this.#api.request(`/calls/${this.#callId}/end`, { method: 'POST' });
    } catch (error) {
      showStatus(error.message, 'fault');
    }
  }
}
