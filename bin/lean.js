/**
 * Bounds that make Node collect garbage before it is several times what is in use: the smaller, the sooner, whether or not
 * they are ever reached.
 */
const bounds = ['--max-old-space-size=640', '--max-semi-space-size=8']

/**
 * V8 puts at once among the old what survived young collections a few times. Checks begin in bursts, so there are always some
 * under way when it collects; it took them all for long-lived, and a seventh of what a check cost was collecting them.
 */
const noGuessing = '--no-allocation-site-pretenuring'

/** Only a process that begins takes them. */
export const lean = [...bounds, noGuessing]

/** glibc gives each thread a heap of its own and returns little of it: two for all threads save some 20 MB. */
export const arenas = { MALLOC_ARENA_MAX: '2' }
