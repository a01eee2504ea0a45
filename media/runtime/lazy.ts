/** A resource that is loaded on its first use. */
export interface Lazy<T> {
  /** Returns the resource; the first call loads it. After a failure, the next call loads it again. */
  get(): Promise<T>;
  /** Returns the resource if it is loaded or being loaded. */
  peek(): Promise<T> | undefined;
}

/** @param load - called on the first use, and again after a failure */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  return {
    get: () => {
      loading ??= load().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    peek: () => loading,
  };
}
