/** Multiplies the cases of tests that draw them at random or kill processes at random moments: more before a release. */
export const rounds = Number(process.env.PHAROS_TEST_ROUNDS ?? 1)
