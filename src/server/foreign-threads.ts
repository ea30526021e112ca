import { ForeignThreads } from '../lib/foreign-threads.ts'
import type { ForeignWork } from '../lib/foreign-work.ts'
import type { Log } from '../lib/log.ts'

export function startForeignThreads(log: Log, undo: (() => unknown)[]): ForeignWork {
  const threads = new ForeignThreads(new URL('./foreign-tasks.ts', import.meta.url), log)
  undo.push(() => threads.close())
  return threads
}
