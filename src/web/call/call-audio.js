const WORKLETS = ['/call/capture-worklet.js', '/call/player-worklet.js'];

/** Whether the browser can play audio on a selected device. */
export const canChooseSpeaker = 'setSinkId' in AudioContext.prototype;

/** Microphone and loudspeaker of one call, at the sound card's own rate. */
export class CallAudio {
  #context = new AudioContext({ latencyHint: 'interactive' });
  #capture;
  #microphone;
  #player;
  #isMuted = false;

  /**
   * Construct it in a click handler: only then may a page play audio.
   * @param onFrame called with the caller's audio: ArrayBuffers of 20 ms, s16le at 16 kHz
   * @param onPlayed called with the position of the agent's audio, in ms
   */
  constructor({ onFrame, onPlayed }) {
    this.onFrame = onFrame;
    this.onPlayed = onPlayed;
  }

  async open() {
    const loaded = WORKLETS.map((module) => this.#context.audioWorklet.addModule(module));
    await Promise.all([this.#context.resume(), ...loaded]);
    this.#capture = new AudioWorkletNode(this.#context, 'parley-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    this.#capture.port.onmessage = ({ data }) => this.onFrame(data);
  }

  /** Switches the microphone. @throws DOMException if there is none */
  async useMicrophone(deviceId) {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        ...(deviceId && { deviceId: { exact: deviceId } }),
      },
    });
    if (this.#context.state === 'closed') {
      stopTracks(stream);
      return;
    }
    this.#dropMicrophone();
    const source = this.#context.createMediaStreamSource(stream);
    source.connect(this.#capture);
    this.#microphone = { stream, source };
    this.mute(this.#isMuted);
  }

  async useSpeaker(deviceId) {
    if (canChooseSpeaker) await this.#context.setSinkId(deviceId);
  }

  mute(isMuted) {
    this.#isMuted = isMuted;
    for (const track of this.#microphone?.stream.getAudioTracks() ?? []) track.enabled = !isMuted;
  }

  /** Sets the position of the agent's next sample. `sampleRate` is constant during a call. */
  begin(positionMs, sampleRate) {
    if (!this.#player) {
      this.#player = new AudioWorkletNode(this.#context, 'parley-player', {
        numberOfInputs: 0,
        outputChannelCount: [1],
        processorOptions: { sampleRate },
      });
      this.#player.port.onmessage = ({ data }) => this.onPlayed(data);
      this.#player.connect(this.#context.destination);
    }
    this.#player.port.postMessage({ type: 'begin', positionMs });
  }

  play(frame) {
    this.#player.port.postMessage({ type: 'receive', frame }, [frame]);
  }

  pause() {
    this.#player.port.postMessage({ type: 'pause' });
  }

  resume(positionMs) {
    this.#player.port.postMessage({ type: 'resume', positionMs });
  }

  clear() {
    this.#player.port.postMessage({ type: 'clear' });
  }

  async close() {
    this.#dropMicrophone();
    for (const node of [this.#capture, this.#player]) node?.port.postMessage({ type: 'close' });
    if (this.#context.state !== 'closed') await this.#context.close();
  }

  #dropMicrophone() {
    if (!this.#microphone) return;
    this.#microphone.source.disconnect();
    stopTracks(this.#microphone.stream);
    this.#microphone = undefined;
  }
}

function stopTracks(stream) {
  for (const track of stream.getTracks()) track.stop();
}

/** The level of a frame, 0…1 on a decibel scale. */
export function levelOf(frame) {
  const samples = new Int16Array(frame);
  let sum = 0;
  for (const sample of samples) sum += (sample / 32768) ** 2;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-9);
  return Math.max(0, Math.min(1, 1 + decibels / 60));
}
