const STORED_KEY = 'parley.key';

/** The key of this tab. It is gone when the tab is closed. */
export const session = {
  get key() {
    return sessionStorage.getItem(STORED_KEY);
  },
  begin(key) {
    sessionStorage.setItem(STORED_KEY, key);
  },
  end() {
    sessionStorage.removeItem(STORED_KEY);
  },
};
