/**
 * Runs test files one after the other in this process, so that the server's modules are loaded once. node:test ends a
 * file when its tests have ended and nothing keeps the event loop alive; the channel to the runner does not count.
 */
import { relative } from 'node:path'
import { spec } from 'node:test/reporters'
import { type Counts, type FileRequest, noCounts, type WorkerMessage } from './messages.ts'
import { runTests } from './node-test.ts'

/** One test; a file of many tests may take longer. */
const TEST_TIMEOUT_MS = 5 * 60_000

const send = (message: WorkerMessage): void => void process.send?.(message)

process.on('message', (request: FileRequest) => void runFile(request))
process.on('disconnect', () => process.exit())

async function runFile({ file, namePatterns, skipPatterns, leakAfterMs }: FileRequest): Promise<void> {
  process.channel?.unref()
  const cpuBefore = process.cpuUsage()
  const events = runTests({
    files: [file],
    isolation: 'none',
    timeout: TEST_TIMEOUT_MS,
    // An empty list would match no test.
    ...(namePatterns.length > 0 && { testNamePatterns: [...namePatterns] }),
    ...(skipPatterns.length > 0 && { testSkipPatterns: [...skipPatterns] }),
  })
  const report = new spec()
  const printed = new Promise((resolve) => report.on('end', resolve))
  report.on('data', (text: unknown) => send({ text: String(text) }))
  const log = new FileLog(file)
  const watch = watchForLeaks(log, leakAfterMs)
  for await (const event of events) {
    log.add(event)
    if (!isSummary(event)) report.write(event)
  }
  clearInterval(watch)
  report.end()
  await printed
  process.exitCode = 0
  process.channel?.ref()
  const { user, system } = process.cpuUsage(cpuBefore)
  send({ ...log.result(), cpuMs: (user + system) / 1_000 })
}

type TestEvent = { readonly type: string; readonly data: Record<string, unknown> }

/** node:test reports the counts of a run as diagnostics without a file; the runner prints the sum of all files. */
function isSummary(event: TestEvent): boolean {
  return event.type === 'test:diagnostic' && event.data.file === undefined && !isUncaughtError(event)
}

/** An error that no test can be named for. node:test counts no failed test then, but the file fails. */
function isUncaughtError({ type, data }: TestEvent): boolean {
  return type === 'test:diagnostic' && data.file === undefined && String(data.message).startsWith('Error')
}

class FileLog {
  readonly file: string
  /** Tests and suites that have not ended. */
  open = 0
  lastEventAt = performance.now()
  #counts: Counts = noCounts
  #isSuccess = false
  readonly #failures: string[] = []
  readonly #notes: string[] = []
  /** The names of the suites around the present test. */
  readonly #path: string[] = []

  constructor(file: string) {
    this.file = file
  }

  add(event: TestEvent): void {
    const { type, data } = event
    this.lastEventAt = performance.now()
    if (isUncaughtError(event)) this.#failures.push(String(data.message))
    else if (type === 'test:enqueue') this.open += 1
    else if (type === 'test:complete') this.open -= 1
    else if (type === 'test:start') this.#path.splice(data.nesting as number, Infinity, String(data.name))
    else if (type === 'test:fail') this.#fail(data)
    else if (type === 'test:diagnostic' && data.file !== undefined) this.#notes.push(String(data.message))
    else if (type === 'test:pass' && data.name === this.file) this.#failures.push('the file has no test')
    else if (type === 'test:summary') {
      this.#counts = { ...noCounts, ...(data.counts as Counts) }
      this.#isSuccess = data.success === true
    }
  }

  #fail({ name, nesting, details }: Record<string, unknown>): void {
    const error = (details as { error?: { failureType?: string } }).error
    // A suite fails with each failure inside it.
    if (error?.failureType === 'subtestsFailed') return
    this.#failures.push([...this.#path.slice(0, nesting as number), String(name)].join(' > '))
  }

  result() {
    const isSuccess = this.#isSuccess && this.#failures.length === 0
    return { counts: this.#counts, isSuccess, failures: this.#failures, notes: this.#notes }
  }
}

/** Ends the process when a file leaves something open: the runner reports the file and starts another worker. */
function watchForLeaks(log: FileLog, leakAfterMs: number): NodeJS.Timeout {
  const check = (): void => {
    if (log.open > 0 || performance.now() - log.lastEventAt < leakAfterMs) return
    const open = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
    const text = `${relative('', log.file)} leaves open after its last test: ${open.join(', ') || 'a pipe'}\n`
    process.send?.({ text }, () => process.exit(1))
  }
  return setInterval(check, 1_000).unref()
}
