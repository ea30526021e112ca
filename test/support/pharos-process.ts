import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type Client, clientOf } from './server.ts'

export const program = join(import.meta.dirname, '../../dist/pharos/bin/pharos.js')
const TIMEOUT_MS = 120_000

export type Env = Readonly<Record<string, string>>

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface LaunchOptions {
  readonly env?: Env
  /** Path of the Node to use; by default the one that runs the tests. */
  readonly node?: string
  readonly cwd?: string
  /** Path of `bin/pharos.js` in another installation. */
  readonly program?: string
  /** Of Node. */
  readonly flags?: readonly string[]
  /** Standard output is a terminal, which needs the program `script`. */
  readonly onTerminal?: boolean
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Passes only PATH and HOME of the tests' environment on. */
function launch(args: readonly string[], options: LaunchOptions): Child {
  const { env = {}, node = process.execPath, flags = [], cwd = tmpdir(), program: file = program } = options
  const { PATH = '', HOME = '' } = process.env
  const own = { PATH, HOME, PHAROS_DRAIN_SECONDS: '0', ...env }
  const line = [node, ...flags, file, ...args]
  const [command = '', ...rest] = options.onTerminal ? ['script', '-qec', `exec ${line.join(' ')}`, '/dev/null'] : line
  return spawn(command, rest, { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] })
}

export interface Shell extends AsyncDisposable {
  run(...args: readonly string[]): Promise<CommandResult>
  /** With more environment variables for this command. */
  runWith(env: Env, ...args: readonly string[]): Promise<CommandResult>
}

/** Runs command lines one after the other in one child process (see shell-process.ts). */
export function openShell(env: Env): Shell {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'shell-process.ts')], {
    cwd: tmpdir(),
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const runWith: Shell['runWith'] = async (env, ...args) => {
    child.stdin.write(`${JSON.stringify({ args, env })}\n`)
    const { value, done } = await answers.next()
    if (done === true) throw new Error(`The shell ended at ${args.join(' ')}`)
    return JSON.parse(value)
  }
  return {
    runWith,
    run: (...args) => runWith({}, ...args),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'close')
      child.stdin.end()
      // A server that should not have started keeps it alive.
      const late = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** Runs one command in a process of its own and waits for its end. */
export async function pharos(args: readonly string[], where: LaunchOptions = {}): Promise<CommandResult> {
  const child = launch(args, where)
  const output = collect(child)
  const late = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  const [code] = await once(child, 'close')
  clearTimeout(late)
  return { code, ...output }
}

function collect(child: Child): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  return output
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Everything written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string }
  client(key: string): Client
  signal(signal: NodeJS.Signals): void
  /** Resolves when it has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts a server on a free port and waits until it has printed its address. */
export async function startServer(env: Env, options: Omit<LaunchOptions, 'env'> = {}): Promise<RunningServer> {
  const child = launch(['start'], { ...options, env: { PORT: '0', ...env } })
  const output = collect(child)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const deadline = performance.now() + TIMEOUT_MS
  let url: string | undefined
  while (url === undefined) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`The server did not start:\n${output.stdout}${output.stderr}`)
    }
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))])
    url = /^│ Address +(http:\S+)/m.exec(output.stdout)?.[1]
  }
  const at = url.replace('//localhost:', '//127.0.0.1:')
  return {
    url: at,
    pid: child.pid as number,
    output,
    client: (key) => clientOf(at, { 'x-api-key': key }),
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

/** The start must fail with exactly these lines on standard error. */
export async function assertStartFails(env: Env, ...sentences: readonly RegExp[]): Promise<void> {
  assertFailed(await pharos(['start'], { env: { PORT: '0', ...env } }), sentences)
}

/** The same in the process of a shell, which must stay usable: whatever the start has opened is closed again. */
export async function assertStartFailsIn(shell: Shell, env: Env, ...sentences: readonly RegExp[]): Promise<void> {
  // The shell answers on standard output, where the log would be written.
  assertFailed(await shell.runWith({ PORT: '0', PHAROS_LOG_LEVEL: 'silent', ...env }, 'start'), sentences)
}

function assertFailed({ code, stdout, stderr }: CommandResult, sentences: readonly RegExp[]): void {
  assert.equal(code, 1, stdout)
  const lines = stderr
    .replace(/^pharos: /, '')
    .trimEnd()
    .split('\n')
  assert.equal(lines.length, sentences.length, stderr)
  for (const [i, sentence] of sentences.entries()) assert.match(lines[i] ?? '', sentence)
  assert.doesNotMatch(stdout, /Pharos is running/)
}

/** Sends the signal and returns the exit code. */
export async function stopServer(server: RunningServer, signal: NodeJS.Signals = 'SIGTERM') {
  server.signal(signal)
  return server.ended
}
