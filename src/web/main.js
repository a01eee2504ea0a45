import { Api } from './api-client.js';
import { openCalls } from './call/call-panel.js';
import { openLive } from './monitoring/monitoring-panel.js';
import { session } from './session.js';
import { openSpeak } from './speech-panel.js';
import { tell } from './status.js';

const signInPart = document.querySelector('#sign-in');
const signInForm = document.querySelector('#sign-in-form');
const signedInPart = document.querySelector('#signed-in');
const signOutButton = document.querySelector('#sign-out');

/** Parts of the page for who is signed in: each opens with an Api and answers how to close it. */
const PARTS = [openCalls, openLive, openSpeak];
let closers = [];

function showSignIn() {
  signedInPart.hidden = true;
  signOutButton.hidden = true;
  signInPart.hidden = false;
  signInForm.elements.key.focus();
}

async function enter(key) {
  const api = new Api(key);
  await api.get('/models'); // any key may; a wrong one is told here
  session.begin(key);
  const opened = await Promise.allSettled(PARTS.map((open) => open(api)));
  closers = opened.flatMap(({ value }) => value ?? []);
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed) {
    closeParts();
    throw failed.reason;
  }
  // Shown only now: a form whose part is still opening would be sent to the server as a plain form.
  signInPart.hidden = true;
  signedInPart.hidden = false;
  signOutButton.hidden = false;
  tell('Signed in.');
}

function closeParts() {
  for (const close of closers) close();
  closers = [];
}

function leave() {
  closeParts();
  session.end();
  showSignIn();
  tell('Signed out.');
}

/** A key is forgotten when it is refused, and for no other fault: requests also break when the page is left. */
function refuse(error) {
  if (error.status === 401) session.end();
  showSignIn();
  tell(error.message, 'fault');
}

signInForm.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { key } = signInForm.elements;
  try {
    await enter(key.value.trim());
    key.value = '';
  } catch (error) {
    refuse(error);
  }
});
signOutButton.addEventListener('click', leave);

if (session.key) {
  enter(session.key).catch(refuse);
} else {
  showSignIn();
}
