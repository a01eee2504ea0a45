/** A resource that is loaded with its first use. */
export interface Lazy<T> {
  /** Loads the resource with the first call. After a failure, the next call loads again. */
  get(): Promise<T>;
  /** The resource if it is loaded or being loaded. */
  peek(): Promise<T> | undefined;
}

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
