import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * A shell that reads one command per line from its standard input and runs them when that input ends, the last one first.
 * However the tests end (done, failed, interrupted, killed), the kernel closes the pipe, so nothing stays behind. It leads a
 * session of its own: Ctrl-C at the terminal does not reach it.
 */
const keeper = `
undo=''
trap '' HUP INT TERM PIPE
# State and start time of a process: the time tells it from a later one with the same number.
facts() { sed 's/.*) //' "/proc/$1/stat" 2>&- | cut -d' ' -f1,20; }
runs() { case $(facts "$1") in Z*|'') return 1;; *" $2") return 0;; *) return 1;; esac; }
end_process() {
  ! runs "$1" "$2" || kill -9 "$1" 2>&-
  for _ in 1 2 3 4 5 6 7 8 9 10; do runs "$1" "$2" || return 0; sleep 0.1; done
}
end_postgres() {
  pid=$(head -n 1 "$1/postmaster.pid" 2>&-) && [ "$(cat "/proc/$pid/comm" 2>&-)" = postgres ] || return 0
  all="$pid $(cat "/proc/$pid/task/$pid/children")"
  # An immediate shutdown also releases its shared memory.
  kill -CONT $all 2>&-; kill -QUIT "$pid" 2>&-
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>&- || return 0; sleep 0.3; done
  kill -9 $all 2>&-
}
while read -r line; do undo="$line
$undo"; done
eval "$undo"
`

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type Child = ChildProcess & { readonly pid: number; readonly output: { text: string } }

/** Where one test runs: a folder, and all processes, networks and mounts that the test adds. All of it goes at the end. */
export class Site implements AsyncDisposable {
  /** In memory if possible; the path is short, because sockets lie in it. */
  readonly folder: string
  readonly #keeper: ChildProcess
  readonly #ended: Promise<unknown>

  constructor() {
    this.folder = mkdtempSync('/dev/shm/pharos-faults-')
    this.#keeper = spawn('/bin/sh', ['-c', keeper], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'pipe'] })
    const { stderr } = this.#keeper
    this.#ended = Promise.all([once(this.#keeper, 'close'), stderr && text(stderr).then(requireSilence)])
    this.#ended.catch(() => undefined)
    this.atEnd(`rm -rf ${this.folder}`)
  }

  /** A shell command for the end; `end_process PID START` and `end_postgres FOLDER` are defined. */
  atEnd(command: string): void {
    this.#keeper.stdin?.write(`${command}\n`)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Starts a program that ends with the site at the latest. Keeps the last part of what it prints. */
  spawn({ command, args, env = {} }: Program): Child {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(command, args, {
      cwd: '/',
      env: { PATH, HOME, LC_ALL: 'C', TZ: 'UTC', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { text: '' }
    const keep = (chunk: Buffer): void => {
      output.text = `${output.text}${chunk}`.slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => keep(Buffer.from(`${error.message}\n`)))
    if (child.pid !== undefined) this.atEnd(`end_process ${child.pid} ${startOf(child.pid)}`)
    return Object.assign(child, { output }) as Child
  }

  /** Runs a program to its end; throws unless it succeeds. */
  async run(command: string, ...args: readonly string[]): Promise<string> {
    const child = this.spawn({ command, args })
    const code = await exitOf(child)
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${code}): ${child.output.text}`)
    return child.output.text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#keeper.stdin?.end()
    await this.#ended
  }
}

function requireSilence(errors: string): void {
  if (errors !== '') throw new Error(`Something could not be removed: ${errors}`)
}

/** When a process started, in the kernel's units. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** The exit code or the signal that ended it. */
export async function exitOf(child: ChildProcess): Promise<number | string | null> {
  if (child.pid === undefined) return 'not started'
  if (!hasExited(child)) await once(child, 'exit')
  return child.exitCode ?? child.signalCode
}
