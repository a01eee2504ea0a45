const CHECK_MS = 5_000;

/**
 * Ends this process in order when the npm that started it is gone, killed without a word. Signals that
 * npm hands on come at once: the scripts of package.json `exec` this process, as a shell between the two
 * would end without handing them on.
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
