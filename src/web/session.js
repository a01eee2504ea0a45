const STORED_KEY = 'parley.key';

/** The API key of this tab. It is dropped when the tab is closed. */
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
