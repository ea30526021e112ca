/**
 * node:test follows every promise with an async hook, to name the test that an uncaught error belongs to. That costs 4 µs per
 * promise, a third of the time of a run. Here it follows other resources only. An uncaught error still fails the file, but
 * often no test can be named for it.
 */
const hooks = process.getBuiltinModule('node:async_hooks')
const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
const { run } = await import('node:test')
hooks.createHook = createHook

export const runTests = run
