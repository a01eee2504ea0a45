import { canChooseSpeaker } from './call-audio.js';

const microphones = document.querySelector('#microphone');
const speakers = document.querySelector('#speaker');

/**
 * The selection of microphone and loudspeaker. Names appear after the user has allowed the microphone.
 * Calls `onMicrophone` and `onSpeaker` with the id of a newly selected device.
 */
export class Devices {
  constructor({ onMicrophone, onSpeaker, signal }) {
    speakers.closest('.field').hidden = !canChooseSpeaker;
    microphones.addEventListener('change', () => onMicrophone(this.microphone), { signal });
    speakers.addEventListener('change', () => onSpeaker(this.speaker), { signal });
    navigator.mediaDevices?.addEventListener('devicechange', () => this.refresh(), { signal });
  }

  /** The id of the selected device; '' for the system default. */
  get microphone() {
    return microphones.value;
  }

  get speaker() {
    return speakers.value;
  }

  async refresh() {
    const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    fill(microphones, all, 'audioinput');
    fill(speakers, all, 'audiooutput');
  }
}

function fill(list, devices, kind) {
  const chosen = list.value;
  const named = devices.filter(
    ({ kind: its, deviceId, label }) => its === kind && label && deviceId !== 'default',
  );
  list.replaceChildren(
    new Option('System default', ''),
    ...named.map(({ deviceId, label }) => new Option(label, deviceId)),
  );
  list.value = named.some(({ deviceId }) => deviceId === chosen) ? chosen : '';
}
