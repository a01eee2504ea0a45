import fc from 'fast-check';

/**
 * Fixes the seed of random cases, so that a failure is due to a change. Set PROPERTY_SEED to test
 * other cases.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
