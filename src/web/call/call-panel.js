import { ApiRefusal } from '../api-client.js';
import { showStatus } from '../status.js';
import { BrowserCall } from './call-session.js';
import { duration, refusalSentence, stateName } from './call-texts.js';
import { Devices } from './devices.js';
import { showRecentCalls } from './recent-calls.js';
import { showTranscript } from './transcript-view.js';

const talkPart = document.querySelector('#talk-part');
const title = document.querySelector('#talk-title');
const ASK_WHOM = title.textContent;
const agents = document.querySelector('#agent');
const startForm = document.querySelector('#start-form');
const talkButton = document.querySelector('#talk');
const testOffer = document.querySelector('#test-offer');
const testButton = document.querySelector('#test-call');
const callView = document.querySelector('#call');
const stateView = document.querySelector('#call-state');
const timeView = document.querySelector('#call-time');
const levelView = document.querySelector('#level');
const muteButton = document.querySelector('#mute');
const hangUpButton = document.querySelector('#hang-up');
const sayForm = document.querySelector('#say-form');

/** The panel for calls. @returns a function that closes it */
export async function createCallPanel(api) {
  const part = new CallPart(api);
  try {
    await part.fill();
    talkPart.hidden = false;
  } catch (error) {
    if (error.status !== 403) {
      part.close();
      throw error;
    }
    talkPart.hidden = true; // The key may lack the scope for calls.
  }
  return () => part.close();
}

class CallPart {
  #api;
  #controls = new AbortController();
  #devices;
  #call;
  #clock;
  #isMuted = false;

  constructor(api) {
    this.#api = api;
    const { signal } = this.#controls;
    const on = (target, event, act) => target.addEventListener(event, act, { signal });
    this.#devices = new Devices({
      onMicrophone: (id) => this.#call?.useMicrophone(id),
      onSpeaker: (id) => this.#call?.useSpeaker(id),
      signal,
    });
    on(startForm, 'submit', (event) => {
      event.preventDefault();
      void this.#start('connection-details');
    });
    on(testButton, 'click', () => void this.#start('test-connection-details'));
    on(agents, 'change', () => {
      testOffer.hidden = true;
    });
    on(muteButton, 'click', () => this.#mute(!this.#isMuted));
    on(hangUpButton, 'click', () => this.#call?.hangUp());
    on(sayForm, 'submit', (event) => {
      event.preventDefault();
      this.#say();
    });
    on(window, 'pagehide', () => void this.#call?.endByToken());
  }

  async fill() {
    const [list] = await Promise.all([
      this.#api.get('/agent'),
      showRecentCalls(this.#api),
      this.#devices.refresh(),
    ]);
    agents.replaceChildren(...list.map(optionOf));
    talkButton.disabled = list.length === 0;
    if (list.length === 0) agents.add(new Option('No agent yet: create one with the API'));
  }

  close() {
    this.#call?.hangUp();
    this.#controls.abort();
  }

  async #start(way) {
    if (this.#call) return;
    testOffer.hidden = true;
    showStatus('');
    try {
      this.#call = new BrowserCall(this.#view());
      this.#showCall();
      await this.#call.start({
        admit: async () => {
          const body = { agent_id: agents.value, transport: 'websocket' };
          const response = await this.#api.request(`/connection/${way}`, { method: 'POST', body });
          return response.json();
        },
        microphone: this.#devices.microphone,
        speaker: this.#devices.speaker,
      });
      await this.#devices.refresh(); // Now the devices have names.
    } catch (error) {
      callView.hidden = true;
      this.#refused(error);
    }
  }

  #view() {
    return {
      onState: (state) => this.#showState(state),
      onLines: showTranscript,
      onLevel: (level) => {
        levelView.value = level;
      },
      onFault: (sentence) => showStatus(sentence, 'fault'),
      onEnd: (sentence, isFault) => this.#ended(sentence, isFault),
    };
  }

  #showCall() {
    showTranscript([]);
    callView.hidden = false;
    callView.dataset.over = 'false';
    startForm.hidden = true;
    title.textContent = agents.selectedOptions[0].text;
    this.#mute(false);
    const startedAt = performance.now();
    const showTime = () => {
      timeView.textContent = duration((performance.now() - startedAt) / 1000);
    };
    showTime();
    this.#clock = setInterval(showTime, 1000);
    hangUpButton.focus();
  }

  #showState(state) {
    stateView.dataset.state = state;
    stateView.textContent = stateName(state);
  }

  #refused(error) {
    this.#over();
    const reason = error instanceof ApiRefusal ? error.reason : undefined;
    showStatus(refusalSentence(reason, error.message), 'fault');
    if (reason !== 'agent_not_deployed') return;
    testOffer.hidden = false;
    testButton.focus();
  }

  #ended(sentence, isFault) {
    this.#over();
    showStatus(sentence, isFault ? 'fault' : 'note');
    talkButton.focus();
    void showRecentCalls(this.#api);
  }

  #over() {
    this.#call = undefined;
    clearInterval(this.#clock);
    callView.dataset.over = 'true';
    levelView.value = 0;
    startForm.hidden = false;
    title.textContent = ASK_WHOM;
  }

  #mute(isMuted) {
    this.#isMuted = isMuted;
    this.#call?.mute(isMuted);
    muteButton.ariaPressed = String(isMuted);
  }

  #say() {
    const { words } = sayForm.elements;
    const text = words.value.trim();
    if (!text) return;
    if (this.#call?.say(text)) words.value = '';
    else showStatus('The text was not sent, because the call is not connected.', 'fault');
  }
}

function optionOf({ agent_id: id, name, status }) {
  const option = new Option(status === 'deployed' ? name : `${name} (${status})`, id);
  option.disabled = status === 'disabled';
  return option;
}
