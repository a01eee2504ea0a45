const line = document.querySelector('#status');

/** Tells the person, and screen readers, what goes on; faults stand out. */
export function tell(sentence, kind = 'note') {
  line.textContent = sentence;
  line.dataset.kind = kind;
}
