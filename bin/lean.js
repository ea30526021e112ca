/**
 * Bounds that make Node collect garbage before it is several times what is in use: the smaller, the sooner, whether or not
 * they are ever reached.
 */
const bounds = ['--max-old-space-size=640', '--max-semi-space-size=8']

/**
 * V8 puts at once among the old what survived young collections a few times. Checks begin in bursts, so there are always some
 * under way when it collects; it took them all for long-lived, and a twelfth of what a check cost was collecting them.
 */
const noGuessing = '--no-allocation-site-pretenuring'

/** With an option that it does not know Node does not start, so another Node than the one this was tried with does without. */
const isTried = process.versions.node.startsWith('26.')

/** Only a process that begins takes them. */
export const lean = isTried ? [...bounds, noGuessing] : bounds

/** glibc gives each thread a heap of its own and returns little of it: two for all threads save some 20 MB. */
export const arenas = { MALLOC_ARENA_MAX: '2' }
