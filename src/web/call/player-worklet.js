import { PlayerQueue } from './player-queue.js';
import { ResampledReader } from './resampled-reader.js';

/** Plays the agent's audio and reports the position. */
class PlayerProcessor extends AudioWorkletProcessor {
  #isOpen = true;

  constructor({ processorOptions }) {
    super();
    const agentRate = processorOptions.sampleRate;
    const queue = new PlayerQueue({
      sampleRate: agentRate,
      report: (playedMs) => this.port.postMessage(playedMs),
    });
    this.reader = new ResampledReader(agentRate, sampleRate, (block) => queue.read(block));
    this.port.onmessage = ({ data }) => {
      if (data.type === 'close') this.#isOpen = false;
      else if (data.type === 'receive') queue.receive(new Int16Array(data.frame));
      else queue[data.type](data.positionMs);
    };
  }

  process(_inputs, [channels]) {
    this.reader.read(channels[0]);
    for (const other of channels.slice(1)) other.set(channels[0]);
    return this.#isOpen;
  }
}

registerProcessor('parley-player', PlayerProcessor);
