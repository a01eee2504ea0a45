const TYPE = 'audio/mpeg';

/**
 * Plays an MP3 response while it arrives, or after it is complete if the browser cannot stream.
 * Calls `onFirstBytes` when playback can start. Resolves when the response is complete.
 */
export async function playMp3(response, audio, onFirstBytes) {
  const canStream = globalThis.MediaSource?.isTypeSupported(TYPE) ?? false;
  await (canStream ? playArriving : playWhole)(response, audio, onFirstBytes);
}

async function playArriving(response, audio, onFirstBytes) {
  const source = new MediaSource();
  const address = URL.createObjectURL(source);
  audio.src = address;
  await once(source, 'sourceopen');
  URL.revokeObjectURL(address);
  const buffer = source.addSourceBuffer(TYPE);
  let isFirst = true;
  try {
    for await (const bytes of chunksOf(response)) {
      if (source.readyState !== 'open') return; // another text uses the player
      // The source closes if the player gets another one.
      const isTaken = Promise.race([once(buffer, 'updateend'), once(source, 'sourceclose')]);
      buffer.appendBuffer(bytes);
      await isTaken;
      if (!isFirst) continue;
      isFirst = false;
      onFirstBytes();
      audio.play().catch(() => undefined); // the user may have to press play
    }
  } finally {
    if (source.readyState === 'open') source.endOfStream();
  }
}

async function playWhole(response, audio, onFirstBytes) {
  const file = await response.blob();
  onFirstBytes();
  const address = URL.createObjectURL(file);
  audio.addEventListener('emptied', () => URL.revokeObjectURL(address), { once: true });
  audio.src = address;
  await audio.play().catch(() => undefined);
}

/** Browsers without async iteration of streams still have readers. */
async function* chunksOf(response) {
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function once(target, event) {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}
