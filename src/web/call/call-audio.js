const WORKLETS = ['/call/capture-worklet.js', '/call/player-worklet.js'];

/** Whether sound can be sent to a device of the person's choice. */
export const canChooseSpeaker = 'setSinkId' in AudioContext.prototype;

/** Microphone and loudspeaker of one call, at the sound card's own rate. */
export class CallAudio {
  #context = new AudioContext({ latencyHint: 'interactive' });
  #capture;
  #microphone;
  #player;
  #isMuted = false;

  /**
   * To be made while a person's click is handled: only then may a page make sound.
   * @param onFrame is given the caller's audio: ArrayBuffers of 20 ms, s16le at 16 kHz.
   * @param onPlayed is told how far the agent's audio was played, in ms.
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

  /** Listens to this microphone instead of the one before. @throws DOMException when there is none */
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

  /** The next sample of the agent has this position; `sampleRate` stays the same for a call. */
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

/** How loud a frame is, 0…1 on a scale of decibels: silence to full. */
export function levelOf(frame) {
  const samples = new Int16Array(frame);
  let sum = 0;
  for (const sample of samples) sum += (sample / 32768) ** 2;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-9);
  return Math.max(0, Math.min(1, 1 + decibels / 60));
}
