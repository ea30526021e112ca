import { type ServerProcess, startProcess } from '../support/server-process.ts'

/** How a start fails whose database connections are cut meanwhile. */
const LOST = /EPIPE|ECONNRESET|Connection terminated|terminating connection|not queryable/

/** A server in a process of its own, always on the same port. */
export class Node {
  readonly port: number
  readonly #env: Readonly<Record<string, string>>
  #process: ServerProcess | undefined

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.port = port
    this.#env = env
  }

  /** Starts it and waits until it runs. Tries again if it loses its database connection meanwhile. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#process = await startProcess({ ...this.#env, PORT: `${this.port}` })
        return
      } catch (error) {
        if (!LOST.test((error as Error).message) || tries >= 10) throw error
      }
    }
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#process?.kill()
  }
}
