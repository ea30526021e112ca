/** Whether this is `npm run test:long`, which repeats some tests with more cases. */
export const isLongRun = process.env.PHAROS_TEST_LONG === '1'
