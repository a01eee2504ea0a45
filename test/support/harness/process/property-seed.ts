import fc from 'fast-check';

/**
 * The same random cases in every run, so that a run fails only for what was changed. Another
 * PROPERTY_SEED looks for faults that these cases do not find.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
