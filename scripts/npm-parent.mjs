const LOOK_EVERY_MS = 500;

/**
 * Ends this process in order when the npm that started it is gone. A signal for npm reaches the shell
 * between us, which ends without handing it on; we would run on, unseen and with the port.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}
