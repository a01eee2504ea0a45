/**
 * Sets an entry as the newest of a map. If the map then has more than `maxSize` entries, removes the oldest.
 * @param maxSize - number of entries, ≥ 1
 */
export function putNewest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  maxSize: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > maxSize && !oldest.done) entries.delete(oldest.value);
}

/**
 * Returns the promise cached under a key, or creates and caches it. Rejected promises are not cached.
 * @param maxSize - maximum number of cached promises, ≥ 1; the oldest is removed first
 */
export function cachedPromise<T>(
  cache: Map<string, Promise<T>>,
  key: string,
  maxSize: number,
  create: () => Promise<T>,
): Promise<T> {
  const cached = cache.get(key);
  if (cached) return cached;
  const created = create();
  created.catch(() => cache.delete(key));
  putNewest(cache, key, created, maxSize);
  return created;
}
