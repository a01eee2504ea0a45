const CHECK_MS = 5_000;

/**
 * Stops this process gracefully if the npm that started it was killed. Signals forwarded by npm
 * arrive directly: the scripts of package.json `exec` this process, because a shell in between
 * would exit without forwarding them.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
