/** An error response: `status`, and a message for the user. */
export class ApiRefusal extends Error {
  constructor(status, sentence, { code, reason } = {}) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}

/** Sends requests with an API key. */
export class Api {
  #key;

  constructor(key) {
    this.#key = key;
  }

  async get(path) {
    return (await this.request(path)).json();
  }

  /** The raw response, for bodies that stream; `body` is sent as JSON. */
  async request(path, { method = 'GET', body, signal, accept = '*/*' } = {}) {
    const headers = { Authorization: `Bearer ${this.#key}`, Accept: accept };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}

async function refusalOf(response) {
  const body = await response.json().catch(() => ({}));
  const sentence = Array.isArray(body.detail)
    ? body.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
    : (body.error ?? `The service responded with status ${response.status}`);
  return new ApiRefusal(response.status, sentence, body);
}
