import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { isIsolated } from './files.ts'
import { type FileReport, type FileRequest, type FileResult, noCounts, type WorkerMessage } from './messages.ts'

const root = join(import.meta.dirname, '../..')

/** Longer than any file takes, even on a busy machine. */
const FILE_LIMIT_MS = 15 * 60_000
/** From the end of the last file to the end of the worker. */
const END_LIMIT_MS = 30_000
const LEAK_AFTER_MS = 60_000

export interface ShardOptions {
  readonly workers: number
  readonly namePatterns: readonly string[]
  readonly skipPatterns: readonly string[]
  readonly leakAfterMs?: number
  readonly signal: AbortSignal
  /** Called with pieces of a file's report as they come. */
  readonly onText: (text: string) => void
  readonly onFile: (report: FileReport) => void
}

/** Runs all files: each worker takes the next one as soon as it is free. */
export async function runFiles(files: readonly string[], options: ShardOptions): Promise<void> {
  const queue = [...files]
  const shards = Array.from({ length: Math.min(options.workers, files.length) }, async () => {
    let worker: Worker | undefined
    for (let file = queue.shift(); file !== undefined && !options.signal.aborted; file = queue.shift()) {
      if (isIsolated(file)) await worker?.end()
      if (worker === undefined || worker.hasEnded || isIsolated(file)) worker = new Worker(options.signal)
      options.onFile(await worker.run(file, options))
      if (isIsolated(file)) await worker.end()
    }
    await worker?.end()
  })
  await Promise.all(shards)
}

class Worker {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>

  constructor(signal: AbortSignal) {
    this.#child = fork(join(import.meta.dirname, 'worker.ts'), {
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compile') },
      signal,
      killSignal: 'SIGKILL',
    })
    // An abort is reported as an error, too; the exit that follows is handled below.
    this.#child.on('error', () => undefined)
    this.#exited = new Promise((resolve) => this.#child.once('exit', resolve))
  }

  get hasEnded(): boolean {
    return !this.#child.connected || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async run(file: string, options: ShardOptions): Promise<FileReport> {
    const { namePatterns, skipPatterns, leakAfterMs = LEAK_AFTER_MS, onText } = options
    const child = this.#child
    const startedAt = performance.now()
    let text = ''
    const { promise, resolve } = Promise.withResolvers<FileResult>()
    const crashed = (why: string): void => {
      text += `${why}\n`
      resolve({ counts: noCounts, isSuccess: false, failures: [why], notes: [], cpuMs: 0 })
    }
    const onMessage = (message: WorkerMessage): void => {
      if ('text' in message) {
        text += message.text
        onText(message.text)
      } else resolve(message)
    }
    const onExit = (code: number | null, by: string | null): void =>
      crashed(`${file}: the worker ended early (${by ?? `exit code ${code}`})`)
    const tooLong = setTimeout(() => {
      crashed(`${file} took longer than ${FILE_LIMIT_MS / 60_000} minutes`)
      child.kill('SIGKILL')
    }, FILE_LIMIT_MS)
    child.on('message', onMessage).on('exit', onExit)
    child.send({ file, namePatterns, skipPatterns, leakAfterMs } satisfies FileRequest)
    const result = await promise
    clearTimeout(tooLong)
    child.off('message', onMessage).off('exit', onExit)
    return { ...result, file, text, wallMs: performance.now() - startedAt }
  }

  /** Ends the worker; one that something keeps alive is killed. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    const tooLong = setTimeout(() => this.#child.kill('SIGKILL'), END_LIMIT_MS)
    await this.#exited
    clearTimeout(tooLong)
  }
}
