import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Engine } from '../../src/storage/database.ts'
import { type Env, newPlace, openShell, type Place, type Server, type Shell, startServer } from './pharos-process.ts'
import { BOOTSTRAP_KEY } from './server.ts'

/** A server for the tests of a suite, and a shell beside it. */
export class CommandLine {
  readonly engine: Engine
  place!: Place
  server!: Server
  env!: Env
  #shell!: Shell

  constructor(engine: Engine, extra: Env = {}) {
    this.engine = engine
    before(async () => {
      this.place = await newPlace(engine)
      this.env = { ...this.place.env, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY, PHAROS_RATE_LIMIT: '100000', ...extra }
      this.server = await startServer(this.env)
      this.#shell = openShell({ ...this.env, PORT: new URL(this.server.url).port })
    })
    after(async () => {
      await this.#shell[Symbol.asyncDispose]()
      await this.server[Symbol.asyncDispose]()
      await this.place[Symbol.asyncDispose]()
    })
  }

  run(...args: readonly string[]): ReturnType<Shell['run']> {
    return this.#shell.run(...args)
  }

  /** What a command prints for people; words of the line are separated by spaces, further ones follow as they are. */
  async text(line: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#shell.run(...line.split(' '), ...more)
    assert.deepEqual([code, stderr], [0, ''], line)
    return stdout
  }

  /** What it prints for programs. */
  async json(line: string, ...more: string[]) {
    return JSON.parse(await this.text(line, ...more, '--json'))
  }

  /** The sentence with which a command refuses. */
  async refusal(line: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#shell.run(...line.split(' '), ...more)
    assert.deepEqual([code, stdout], [1, ''], line)
    assert.match(stderr, /^pharos: [^\n]+\n$/, 'one sentence')
    return stderr.slice('pharos: '.length, -1)
  }
}
