import { CallAudio, levelOf } from './call-audio.js';
import { CallSocketClient } from './call-client.js';
import { endingSentence, INSECURE_PAGE, microphoneSentence } from './call-texts.js';
import { applyLatency, applyTranscript } from './transcript.js';

/** Timeout for the server's confirmation of the end of a call. */
const END_WITHIN_MS = 2_000;

/**
 * One call: connects the call socket with microphone and loudspeaker. Reports to `view`:
 * onState(state), onLines(lines), onLevel(level), onFault(sentence), onEnd(sentence, isFault).
 */
export class BrowserCall {
  #view;
  #audio;
  #link;
  #admission;
  #lines = [];
  #state = 'connecting';
  /** Whether the user hung up before the call started. */
  #isGivenUp = false;

  /** @throws Error if the browser supports no audio input or output */
  constructor(view) {
    if (!isSecureContext) throw new Error(INSECURE_PAGE);
    this.#view = view;
    this.#audio = new CallAudio({
      onFrame: (frame) => {
        this.#view.onLevel(levelOf(frame));
        this.#link?.sendAudio(frame);
      },
      onPlayed: (playedMs) => this.#link?.sendPlayed(playedMs),
    });
  }

  /**
   * @param admit requests the call's connection details
   * @throws errors of `admit`, among others; the call has not started then
   */
  async start({ admit, microphone, speaker }) {
    this.#view.onState('connecting');
    try {
      await this.#audio.open();
      await this.useMicrophone(microphone);
      await this.#audio.useSpeaker(speaker);
      if (!this.#isGivenUp) this.#admission = await admit();
    } catch (error) {
      if (this.#isGivenUp) return;
      await this.#audio.close();
      throw error;
    }
    if (this.#isGivenUp) await this.endByToken();
    else this.#connect();
  }

  /** Without a microphone, the call continues with typed text. */
  async useMicrophone(deviceId) {
    try {
      await this.#audio.useMicrophone(deviceId);
    } catch (error) {
      this.#view.onFault(`${microphoneSentence(error.name)} You can type instead.`);
    }
  }

  useSpeaker(deviceId) {
    return this.#audio.useSpeaker(deviceId);
  }

  mute(isMuted) {
    this.#audio.mute(isMuted);
  }

  /** Whether the text could be sent. */
  say(text) {
    return this.#link?.sendText(text) ?? false;
  }

  hangUp() {
    const link = this.#link;
    void this.#audio.close();
    if (!link) {
      this.#isGivenUp = true;
      this.#end({ type: 'ended', reason: 'user_hangup' });
      return;
    }
    const finish = () => link.finish({ type: 'ended', reason: 'user_hangup' });
    if (link.sendEnd()) setTimeout(finish, END_WITHIN_MS);
    else this.endByToken().finally(finish);
  }

  /** Ends the call by HTTP, which also works while the page is being closed. */
  async endByToken() {
    if (!this.#admission) return;
    const { call_id: callId, end_token: token } = this.#admission;
    await fetch(`/api/v1/calls/${callId}/end`, {
      method: 'POST',
      keepalive: true,
      headers: { Authorization: `Bearer ${token}` },
    }).catch(() => undefined); // the server ends an abandoned call itself
  }

  #connect() {
    const { server_url: serverUrl, participant_token: token } = this.#admission;
    // The page's origin certainly reaches the gateway.
    const address = new URL(new URL(serverUrl).pathname, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    this.#link = new CallSocketClient({
      token,
      open: (subprotocol) => new WebSocket(address, subprotocol),
      listener: {
        onReady: ({ positionMs, audio }) => {
          this.#audio.begin(positionMs, audio.downSampleRate);
          this.#view.onState(this.#state === 'connecting' ? 'initializing' : this.#state);
        },
        onAudio: (frame) => this.#audio.play(frame),
        onMessage: (message) => this.#take(message),
        onAway: () => this.#view.onState('reconnecting'),
        onEnd: (end) => this.#end(end),
      },
    });
    this.#link.start();
  }

  #take(message) {
    switch (message.type) {
      case 'state':
        this.#state = message.state;
        this.#view.onState(message.state);
        break;
      case 'transcript':
        this.#show(applyTranscript(this.#lines, message));
        break;
      case 'latency':
        this.#show(applyLatency(this.#lines, message));
        break;
      case 'pause':
        this.#audio.pause();
        break;
      case 'resume':
        this.#audio.resume(message.fromMs);
        break;
      case 'clear':
        this.#audio.clear();
        break;
      case 'error':
        this.#view.onFault(message.message);
    }
  }

  #show(lines) {
    this.#lines = lines;
    this.#view.onLines(lines);
  }

  #end(end) {
    void this.#audio.close();
    this.#view.onState('ended');
    if (end.type === 'ended') this.#view.onEnd(endingSentence(end.reason), false);
    else if (end.type === 'lost')
      this.#view.onEnd('The connection broke and could not be restored.', true);
    else this.#view.onEnd(`The gateway refused the call: ${end.sentence}.`, true);
  }
}
