/** Puts an entry at a map's end, wherever it stood; of more than `most`, the oldest goes. */
export function putNewest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > most && !oldest.done) entries.delete(oldest.value);
}
