/** Tasks for tests of the threads for foreign text. Also the entry point of such a thread. */
import { isMainThread } from 'node:worker_threads'
import { serveForeignTasks } from '../../src/lib/foreign-thread.ts'
import type { ForeignTask } from '../../src/lib/foreign-work.ts'

export const double: ForeignTask<number, number> = { name: 'double', run: (value) => 2 * value }

export const loop: ForeignTask<null, null> = {
  name: 'loop',
  run() {
    for (;;);
  },
}

export const allocate: ForeignTask<null, number> = {
  name: 'allocate',
  run() {
    const all: object[] = []
    for (;;) all.push({ a: all.length, b: [all.length] })
  },
}

export const refuse: ForeignTask<string, null> = {
  name: 'refuse',
  run(message) {
    throw Object.assign(new Error(message), { name: 'Refused' })
  },
}

export const repeat: ForeignTask<number, string> = { name: 'repeat', run: (bytes) => 'x'.repeat(bytes) }

export const environment: ForeignTask<null, readonly string[]> = {
  name: 'environment',
  run: () => Object.keys(process.env),
}

if (!isMainThread) serveForeignTasks([double, loop, allocate, refuse, repeat, environment])
