import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mallocEnvironment, memoryLimits } from '../../bin/memory-limits.js'
import type { Measured, Window } from './engine.ts'
import { root } from './processes.ts'

const run = promisify(execFile)

/** Runs a script of this folder in a child process, which prints one line of JSON. With the same flags as `pharos start`. */
export async function runScript<T>(
  script: string,
  args: readonly (string | number)[],
  flags: readonly string[] = [],
): Promise<T> {
  const command = [...memoryLimits, ...flags, join(root, 'bench/support', script), ...args.map(String)]
  const { stdout } = await run(process.execPath, command, {
    cwd: root,
    maxBuffer: 1 << 24,
    env: { ...process.env, ...mallocEnvironment },
  })
  return JSON.parse(stdout) as T
}

export interface Targets extends AsyncDisposable {
  readonly plain: string
  readonly secure: string
}

/** Starts a target for checks. */
export async function startTargets(): Promise<Targets> {
  const child = spawn(process.execPath, [join(root, 'bench/support/target.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const [plain = '', secure = ''] = line.toString().trim().split(' ')
  return {
    plain,
    secure,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

export interface EngineProcess extends AsyncDisposable {
  readonly url: string
  /** Waits for a number of checks or seconds. */
  warmUp(window: Window): Promise<unknown>
  /** The same; returns what they cost. All monitors must be up then. */
  measure(window: Window): Promise<Measured>
}

/**
 * Starts a node on a filled data folder or PostgreSQL database, with a clock that starts at `startAt` and runs `speed` times
 * as fast.
 */
export async function startEngine(place: string, startAt: number, speed: number): Promise<EngineProcess> {
  const child = fork(join(root, 'bench/support/engine.ts'), [place, String(startAt), String(speed)], {
    cwd: root,
    // The same flags as `pharos start`.
    execArgv: [...memoryLimits],
    env: { ...process.env, ...mallocEnvironment },
  })
  const gone = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`The engine's process ended with ${code}`)))
  })
  gone.catch(() => {})
  const answer = async <T>(): Promise<T> => ((await Promise.race([once(child, 'message'), gone])) as [T])[0]
  const { url } = await answer<{ url: string }>()
  const wait = (window: Window): Promise<Measured> => {
    child.send(window)
    return answer<Measured>()
  }
  return {
    url,
    warmUp: wait,
    async measure(window) {
      const measured = await wait(window)
      if (measured.notUp > 0) throw new Error(`${measured.notUp} monitors are not up`)
      return measured
    },
    async [Symbol.asyncDispose]() {
      child.send('stop')
      await gone.catch(() => {})
    },
  }
}

export interface Folder extends Disposable {
  readonly path: string
}

export function temporaryFolder(within = tmpdir()): Folder {
  const path = mkdtempSync(join(within, 'pharos-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
