import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../server/config/read-files.ts'
import { type ClientCommand, CommandError, UsageError } from './command.ts'
import { environment, LOCAL_SERVER } from './environment.ts'
import { withInheritedUmask } from './umask.ts'

/** What the server keeps of the body of a signal. */
const MAX_OUTPUT_BYTES = 10 * 1024
const REQUEST_TIMEOUT_MS = 5_000
/** Between the attempts to report the end. */
const RETRY_DELAYS_MS = [1_000, 2_000]
/** How long output is read after the command has ended: processes that it started may keep its streams open. */
const LAST_OUTPUT_MS = 1_000
const FORWARDED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const
/** The exit codes of shells. */
const [NOT_EXECUTABLE, NOT_FOUND, SIGNAL_BASE] = [126, 127, 128]

export const runCommandLine: ClientCommand = {
  name: 'run',
  summary: 'Run a command and report its start, duration, output and exit code to a CRON monitor',
  positionals: ['COMMAND…'],
  isWrapper: true,
  hasOwnOutput: true,
  options: {
    monitor: {
      value: 'KEY',
      help: 'The part after /heartbeat/ of the heartbeat URL, or all of it, in place of PHAROS_HEARTBEAT_URL',
    },
  },
  notes: () => [
    'PHAROS_HEARTBEAT_URL is the heartbeat URL of the monitor, or PHAROS_HEARTBEAT_URL_FILE names a file with it. The command does',
    'not get these variables. --monitor is visible in the list of processes: anybody who knows the URL can report for the job.',
    'The exit code is that of the command, or 128 and the number of the signal that ended it. The last 10 KB of its output are',
    'sent with the exit code. If the server cannot be reached, the command runs all the same, and a warning is printed.',
  ],
  examples: [
    'PHAROS_HEARTBEAT_URL_FILE=/etc/backup.url pharos run -- /usr/local/bin/backup.sh --full',
    "0 3 * * * PHAROS_HEARTBEAT_URL_FILE=/etc/dump.url pharos run -- sh -c 'pg_dump shop | gzip > shop.gz'",
  ],
  variables: [
    `With the part after /heartbeat/, PHAROS_URL names the server (default: ${LOCAL_SERVER}). An API key is not needed.`,
  ],
  async call(given, { positionals: [file = '', ...args], options: { monitor } }) {
    const address = heartbeatUrl(given, monitor)
    const rid = crypto.randomUUID()
    // The command does not wait for the server.
    const started = report(address, 'start', rid, '', [])
    const { code, output } = await runProgram(file, args)
    // Signals must arrive in order.
    await started
    await report(address, `${code}`, rid, output, RETRY_DELAYS_MS)
    process.exitCode = code
    return undefined
  },
}

function heartbeatUrl({ PHAROS_URL: server, PHAROS_HEARTBEAT_URL: url }: Environment, monitor?: string): string {
  const given = (monitor ?? url ?? '').trim().replace(/\/+$/, '')
  if (/^https?:/i.test(given)) return given
  if (given === '')
    throw new UsageError('Set PHAROS_HEARTBEAT_URL to the heartbeat URL of the monitor, or use --monitor')
  // The value is not printed: it is a secret.
  if (monitor === undefined)
    throw new CommandError('PHAROS_HEARTBEAT_URL must be the whole heartbeat URL of the monitor')
  return `${(server?.trim() || LOCAL_SERVER).replace(/\/+$/, '')}/heartbeat/${given}`
}

/** The environment as it was given, without what lets a program report for the job. */
function environmentOfCommand(): Environment {
  const { PHAROS_HEARTBEAT_URL: _url, PHAROS_HEARTBEAT_URL_FILE: _file, ...others } = environment
  return others
}

interface Ended {
  readonly code: number
  readonly output: Buffer | string
}

async function runProgram(file: string, args: readonly string[]): Promise<Ended> {
  // Not loaded for other commands: with node:crypto it takes a tenth of the time of a help.
  const { spawn } = await import('node:child_process')
  const child = await withInheritedUmask(async () =>
    spawn(file, args, { env: environmentOfCommand(), stdio: ['inherit', 'pipe', 'pipe'] }),
  )
  const output = new Tail()
  const stopForwarding = forwardSignals(child)
  // Also rejected if the command cannot be run, like the wait for its exit below.
  const closed = once(child, 'close').catch(() => undefined)
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.on('data', (chunk: Buffer) => output.add(chunk))
    from.pipe(to, { end: false })
    // The reader of our output has ended: the command notices that as it would without us.
    to.on('error', () => from.destroy())
  }
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    await Promise.race([closed, delay(LAST_OUTPUT_MS, undefined, { ref: false })])
    if (signal === null) return { code: code as number, output: output.read() }
    return { code: SIGNAL_BASE + constants.signals[signal], output: output.read(`\nEnded by ${signal}\n`) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    process.stderr.write(`pharos: ${file} cannot be run: ${message}\n`)
    return { code: code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE, output: `${message}\n` }
  } finally {
    stopForwarding()
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl+C to the command, too. Twice would mean "at once" to many programs.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward)
  return () => {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward)
  }
}

/** The last bytes of an output. */
class Tail {
  readonly #chunks: Buffer[] = []
  #bytes = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes - (this.#chunks[0] as Buffer).length >= MAX_OUTPUT_BYTES) {
      this.#bytes -= (this.#chunks.shift() as Buffer).length
    }
  }

  /** Begins with a whole UTF-8 character. */
  read(suffix = ''): Buffer {
    const all = Buffer.concat(this.#chunks)
    let start = Math.max(0, all.length - MAX_OUTPUT_BYTES + suffix.length)
    while (start > 0 && ((all[start] ?? 0) & 0xc0) === 0x80) start += 1
    return Buffer.concat([all.subarray(start), Buffer.from(suffix)])
  }
}

/** Never throws: what happens to the command does not depend on the server. */
async function report(
  address: string,
  signal: string,
  rid: string,
  body: Buffer | string,
  delaysMs: readonly number[],
): Promise<void> {
  const request = { method: 'POST', body: Buffer.from(body), headers: { 'content-type': 'text/plain' } }
  let problem = ''
  for (const delayMs of [0, ...delaysMs]) {
    await delay(delayMs)
    try {
      const url = `${address}/${signal}?rid=${rid}`
      const response = await fetch(url, { ...request, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
      await response.body?.cancel()
      if (response.ok) return
      problem = `HTTP ${response.status}`
      // Other refusals are final.
      if (response.status < 500 && response.status !== 429) break
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error }
      problem = cause?.message || message
    }
  }
  // The key is not printed: output of cron jobs is mailed.
  const server = URL.parse(address)?.origin ?? 'PHAROS_URL, which is not an address'
  const what = signal === 'start' ? 'The start' : 'The end'
  process.stderr.write(`pharos: ${what} of the command was not reported to ${server}: ${problem}\n`)
}
