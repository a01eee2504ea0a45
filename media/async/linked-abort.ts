/**
 * A controller that is aborted with `signal`, or by itself. Abort it in any case at the end of the work:
 * that takes its listener off `signal`.
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
