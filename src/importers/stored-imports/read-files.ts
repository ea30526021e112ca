import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../contract/errors.ts'
import type { ImportResult } from '../result.ts'
import { sources } from '../sources.ts'
import type { ReaderAnswer, ReaderTask } from './reader-process.ts'

const DEADLINE_MS = 60_000
/** Of the objects of the reader. */
const MAX_HEAP_MB = 384
/** With the buffers of files and of SQLite. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024
const WATCH_MS = 250

/**
 * Reads files of another tool in a process of its own. They come from outside: a process can be ended at any time, also inside a
 * query of SQLite, which a thread cannot, and its memory is not that of the server.
 */
export async function readFiles(task: ReaderTask, folder: string, signal: AbortSignal): Promise<ImportResult> {
  const child = fork(fileURLToPath(new URL('./reader-process.ts', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    // Copies that readers make are deleted with the files. The secrets of the server stay out of reach.
    env: { TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let ended: string | undefined
  const end = (reason: string): void => {
    ended ??= reason
    child.kill('SIGKILL')
  }
  const onStop = (): void => end('The server is stopping')
  const deadline = setTimeout(end, DEADLINE_MS, `Reading the files took longer than ${DEADLINE_MS / 1000} s`)
  const watch = setInterval(() => void endIfLarge(child.pid, end), WATCH_MS)
  signal.addEventListener('abort', onStop)
  const exited = once(child, 'exit')
  try {
    const answered = once(child, 'message').then(([answer]) => answer as ReaderAnswer)
    child.send(task, () => undefined)
    const answer = await Promise.race([answered, exited.then(() => undefined)])
    if (answer?.kind === 'read') return answer.result
    throw refused(answer?.kind === 'wrong file' ? answer.message : (ended ?? notReadable(task)), answer)
  } finally {
    clearTimeout(deadline)
    clearInterval(watch)
    signal.removeEventListener('abort', onStop)
    child.kill('SIGKILL')
    await exited
  }
}

function notReadable({ source }: ReaderTask): string {
  const { title, files } = sources[source] ?? {}
  return `The files cannot be read as those of ${title}. Expected: ${files}`
}

function refused(message: string, cause: unknown): ApiError {
  return new ApiError('validation_error', message, { details: [{ path: 'body', message }], cause })
}

/** Where the system does not say how much a process uses, the limit of its heap is the only one. */
async function endIfLarge(pid: number | undefined, end: (reason: string) => void): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const usedKib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
  if (usedKib * 1024 > MAX_MEMORY_BYTES) end('Reading the files needs too much memory')
}
