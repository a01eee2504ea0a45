import { Api } from './api-client.js';
import { createCallPanel } from './call/call-panel.js';
import { createMonitoringPanel } from './monitoring/monitoring-panel.js';
import { session } from './session.js';
import { createSpeechPanel } from './speech-panel.js';
import { showStatus } from './status.js';

const signInPart = document.querySelector('#sign-in');
const signInForm = document.querySelector('#sign-in-form');
const signedInPart = document.querySelector('#signed-in');
const signOutButton = document.querySelector('#sign-out');

/** The panels after sign-in. Each takes an Api and returns a function that closes it. */
const PARTS = [createCallPanel, createMonitoringPanel, createSpeechPanel];
let closers = [];

function showSignIn() {
  signedInPart.hidden = true;
  signOutButton.hidden = true;
  signInPart.hidden = false;
  signInForm.elements.key.focus();
}

async function enter(key) {
  const api = new Api(key);
  await api.get('/models'); // fails for an invalid key
  session.begin(key);
  const opened = await Promise.allSettled(PARTS.map((open) => open(api)));
  closers = opened.flatMap(({ value }) => value ?? []);
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed) {
    closeParts();
    throw failed.reason;
  }
  // Shown after the panels are ready: before, a form would be submitted to the server.
  signInPart.hidden = true;
  signedInPart.hidden = false;
  signOutButton.hidden = false;
  showStatus('Signed in.');
}

function closeParts() {
  for (const close of closers) close();
  closers = [];
}

function leave() {
  closeParts();
  session.end();
  showSignIn();
  showStatus('Signed out.');
}

/** Forgets the key only if it is refused: requests also fail when the page is closed. */
function refuse(error) {
  if (error.status === 401) session.end();
  showSignIn();
  showStatus(error.message, 'fault');
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
