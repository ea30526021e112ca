import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../contract/errors.ts'
import { sources } from '../sources.ts'
import { HostileOutput, type ReceiveLine, readAnswer } from './reader-answer.ts'
import type { ReaderEnd, ReaderTask } from './reader-protocol.ts'

const DEADLINE_MS = 60_000
/** Of the objects of the reader. */
const MAX_HEAP_MB = 384
/** With the buffers of files and of SQLite. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024
const WATCH_MS = 250

const program = join(import.meta.dirname, '../../..')
/** Of a checkout, and of a package. The folder with the data of the server may be beside them. */
const programFiles = ['src', 'server', 'node_modules', 'package.json'].map((name) => join(program, name))

/** What files of another tool are, without the document and the objects of the report. */
export type ReadFiles = Omit<Extract<ReaderEnd, { kind: 'read' }>, 'kind'>

/**
 * Reads files of another tool in a process of its own. They come from outside: a process can be ended at any time, also inside a
 * query of SQLite, which a thread cannot, and its memory is not that of the server.
 */
export async function readFiles(
  task: ReaderTask,
  folder: string,
  signal: AbortSignal,
  receive: ReceiveLine,
): Promise<ReadFiles> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${MAX_HEAP_MB}`,
      // No network, no processes, and no files but these. SQLite, whose statements are ours, opens files without asking.
      '--permission',
      ...[folder, ...programFiles].map((path) => `--allow-fs-read=${path}`),
      `--allow-fs-write=${folder}`,
      fileURLToPath(new URL('./reader-process.ts', import.meta.url)),
    ],
    // Copies that readers make are deleted with the files. The secrets of the server stay out of reach.
    { env: { TMPDIR: folder }, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  // Requests and checks come first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
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
  // If it does not start. The answer then ends as well.
  exited.catch(() => undefined)
  try {
    // A process that ends early leaves the task unread.
    child.stdin.on('error', () => undefined).end(JSON.stringify(task))
    const answer = await readAnswer(child.stdout, receive).catch((error: unknown) => {
      throw error instanceof HostileOutput ? refused('The files have more than can be imported at once', error) : error
    })
    if (answer?.kind === 'read') return answer
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
  const { title, files } = sources[source]
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
