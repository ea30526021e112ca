import { constants, setPriority } from 'node:os'
import { deserialize, serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import type { ForeignTask } from './foreign-work.ts'

export interface ForeignRequest {
  readonly name: string
  readonly input: unknown
}

export type ForeignAnswer =
  | { readonly result: Uint8Array }
  | { readonly error: { readonly name: string; readonly message: string } }

/** What a task may return. A configuration document has up to 16 MiB. */
const MAX_RESULT_BYTES = 24 * 1024 * 1024

/** In a thread of `ForeignThreads`: runs the task that each message names. */
// biome-ignore lint/suspicious/noExplicitAny: each task checks its own input
export function serveForeignTasks(tasks: readonly ForeignTask<any, unknown>[]): void {
  // Requests and checks come first. Linux sets the priority of this thread alone, other systems that of the whole process.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const byName = new Map(tasks.map((task) => [task.name, task]))
  parentPort?.on('message', ({ name, input }: ForeignRequest) =>
    parentPort?.postMessage(answerOf(byName.get(name), input)),
  )
}

function answerOf(task: ForeignTask<unknown, unknown> | undefined, input: unknown): ForeignAnswer {
  try {
    if (task === undefined) throw new Error('There is no such task')
    const result = serialize(task.run(input))
    if (result.length > MAX_RESULT_BYTES) throw new Error('The result is too large')
    return { result }
  } catch (error) {
    const { name, message } = error as Error
    return { error: { name, message } }
  }
}

export function resultOf<Out>(result: Uint8Array): Out {
  return deserialize(result) as Out
}
