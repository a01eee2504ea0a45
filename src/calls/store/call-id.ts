const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a path segment can be a call's id at all; others are 404 without a query. */
export function isCallId(text: string): boolean {
  return UUID.test(text);
}
