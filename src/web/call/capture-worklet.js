import { MicrophoneFrames } from './microphone-frames.js';

/** Posts microphone audio as frames of the call socket. */
class CaptureProcessor extends AudioWorkletProcessor {
  #isOpen = true;
  #frames = new MicrophoneFrames(sampleRate, (frame) =>
    this.port.postMessage(frame.buffer, [frame.buffer]),
  );

  constructor() {
    super();
    this.port.onmessage = () => {
      this.#isOpen = false;
    };
  }

  process([channels]) {
    if (channels.length > 0) this.#frames.push(channels[0]);
    return this.#isOpen;
  }
}

registerProcessor('parley-capture', CaptureProcessor);
