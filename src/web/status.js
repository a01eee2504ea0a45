const line = document.querySelector('#status');

/** Shows a message to the user and to screen readers. `kind` is `note` or `fault`. */
export function showStatus(sentence, kind = 'note') {
  line.textContent = sentence;
  line.dataset.kind = kind;
}
