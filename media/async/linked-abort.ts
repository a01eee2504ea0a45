/**
 * A controller that is aborted when `signal` fires. Abort it also when the work is done: that removes
 * its listener from `signal`.
 */
export function linkedAbort(signal: AbortSignal): AbortController {
  const linked = new AbortController();
  if (signal.aborted) linked.abort(signal.reason);
  else {
    signal.addEventListener('abort', () => linked.abort(signal.reason), {
      once: true,
      signal: linked.signal,
    });
  }
  return linked;
}
