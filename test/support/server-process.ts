import { mallocEnvironment, memoryLimits } from '../../bin/memory-limits.js'
import { type Env, type RunningServer, startServer } from './pharos-process.ts'
import { BOOTSTRAP_KEY } from './server.ts'

/** A server in a process of its own, which tests can kill. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Everything written so far. */
  readonly output: RunningServer['output']
  readonly hasEnded: () => boolean
  /** Kills it with SIGKILL and waits for its end. */
  kill(): Promise<void>
}

/** Runs "pharos start" as one process: given its memory limits, it need not start itself again with them. */
export async function startProcess(env: Env): Promise<ServerProcess> {
  const all = {
    ...mallocEnvironment,
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    PHAROS_RATE_LIMIT: '1000000',
    PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PHAROS_CONFIRM_DELAYS: '',
    PHAROS_LOG_LEVEL: 'error',
    ...env,
  }
  const server = await startServer(all, { flags: memoryLimits })
  const kill = async () => await server[Symbol.asyncDispose]()
  let hasEnded = false
  void server.ended.then(() => {
    hasEnded = true
  })
  const { url, pid, output } = server
  return { url, pid, output, hasEnded: () => hasEnded, kill, [Symbol.asyncDispose]: kill }
}
