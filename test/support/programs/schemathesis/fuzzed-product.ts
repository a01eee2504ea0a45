import { TELNYX, TWILIO } from '../../fakes/carrier.js';
import { startTelnyx, startTwilio } from '../../fakes/carrier-servers.js';
import { type Product, startProduct } from '../../harness/process/product.js';

/** Starts the product for fuzzing, with all carriers configured and without rate limits. */
export async function startFuzzedProduct(): Promise<Product> {
  const numbers = Array.from({ length: 20 }, (_, i) => `+1808555${1000 + i}`);
  const [twilio, telnyx] = await Promise.all([startTwilio(numbers), startTelnyx(numbers)]);
  const close = () => {
    twilio.close();
    telnyx.close();
  };
  try {
    const product = await startProduct({
      env: {
        REQUESTS_PER_MINUTE: '0',
        FAILED_AUTHS_PER_MINUTE: '0',
        CONCURRENT_CALLS: '0',
        TWILIO_ACCOUNT_SID: TWILIO.accountSid,
        TWILIO_AUTH_TOKEN: TWILIO.authToken,
        TWILIO_BASE_URL: twilio.baseUrl,
        TELNYX_API_KEY: TELNYX.apiKey,
        TELNYX_BASE_URL: telnyx.baseUrl,
        AUDIOSOCKET_PORT: '0',
      },
    });
    return { ...product, stop: () => product.stop().finally(close) };
  } catch (error) {
    close();
    throw error;
  }
}
