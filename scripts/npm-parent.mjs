const CHECK_MS = 5_000;

/**
 * Stops this process gracefully when the npm that started it was killed. Other signals are forwarded by npm
 * at once: the scripts of package.json `exec` this process, because a shell in between would not forward them.
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
