/**
 * Returns a controller that is aborted when `signal` fires. The caller also aborts it when the work is
 * done, which removes its listener from `signal`.
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
