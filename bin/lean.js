/**
 * Bounds that make Node collect garbage before it is several times what is in use: the smaller, the sooner, whether or not
 * they are ever reached. Only a process that begins takes them.
 */
export const lean = ['--max-old-space-size=640', '--max-semi-space-size=8', '--no-allocation-site-pretenuring']

/** glibc gives each thread a heap of its own and returns little of it: two for all threads save some 20 MB. */
export const arenas = { MALLOC_ARENA_MAX: '2' }
