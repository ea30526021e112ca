import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Engine } from '../../src/storage/database.ts'
import { type Env, openShell, type Shell } from './pharos-process.ts'
import { BOOTSTRAP_KEY, startTestServer, type TestServer } from './server.ts'
import { migratedWorkspace, type Workspace } from './workspace.ts'

/** A server for the tests of a suite, and a shell that runs `pharos` commands against its data in another process. */
export class CommandLine {
  readonly engine: Engine
  workspace!: Workspace
  server!: TestServer
  env!: Env
  #shell!: Shell

  constructor(engine: Engine, extra: Env = {}) {
    this.engine = engine
    before(async () => {
      this.workspace = await migratedWorkspace(engine)
      this.env = { ...this.workspace.env, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY, PHAROS_RATE_LIMIT: '100000', ...extra }
      this.server = await startTestServer(engine, {
        ...this.workspace.storage,
        // Server and commands read the key from the file that the server creates.
        env: { ...this.env, PHAROS_SECRET_KEY: '' },
      })
      const api = { PHAROS_URL: this.server.url, PHAROS_API_KEY: BOOTSTRAP_KEY }
      this.#shell = openShell({ ...this.env, ...api, PORT: new URL(this.server.url).port })
    })
    after(async () => {
      await this.#shell[Symbol.asyncDispose]()
      await this.server.stop()
      await this.workspace[Symbol.asyncDispose]()
    })
  }

  run(...args: readonly string[]): ReturnType<Shell['run']> {
    return this.#shell.run(...args)
  }

  /** With more environment variables for this command. */
  runWith(env: Env, ...args: readonly string[]): ReturnType<Shell['run']> {
    return this.#shell.runWith(env, ...args)
  }

  /** The text output. `line` is split at spaces; `more` holds arguments that may contain spaces. */
  async text(line: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#shell.run(...line.split(' '), ...more)
    assert.deepEqual([code, stderr], [0, ''], line)
    return stdout
  }

  /** The parsed output of --json. */
  async json(line: string, ...more: string[]) {
    return JSON.parse(await this.text(line, ...more, '--json'))
  }

  /** The error message of a command that must fail. */
  refusal(line: string, ...more: string[]): Promise<string> {
    return this.#failure(1, line, more)
  }

  /** The error message of a command line that is wrong. */
  async usageError(line: string, ...more: string[]): Promise<string> {
    const message = await this.#failure(2, line, more)
    assert.match(message, /[.?] Run "pharos [^"]*--help" for help\.$/, line)
    return message
  }

  async #failure(exitCode: number, line: string, more: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#shell.run(...line.split(' '), ...more)
    assert.deepEqual([code, stdout], [exitCode, ''], line)
    assert.match(stderr, /^pharos: [^\n]+\n$/, 'one sentence')
    return stderr.slice('pharos: '.length, -1)
  }
}
