import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ForeignLane } from './attacked-server.ts'
import type { DumpCase } from './dumps.ts'
import type { ReaderAnswer } from './reader-process.ts'

/** As the server gives a reader. */
const MAX_HEAP_MB = 384
const DEADLINE_MS = 60_000

/** Uploads dumps, and reads others with the reader alone. */
export class DumpReaders implements AsyncDisposable {
  readonly #lane: ForeignLane
  readonly #child: ChildProcess

  constructor(lane: ForeignLane) {
    this.#lane = lane
    this.#child = fork(fileURLToPath(new URL('./reader-process.ts', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      serialization: 'advanced',
    })
  }

  async read(dump: DumpCase): Promise<void> {
    if (dump.isUploaded) await this.#upload(dump)
    else await this.#readAlone(dump)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async #readAlone(dump: DumpCase): Promise<void> {
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(DEADLINE_MS)])
    try {
      const answered = once(this.#child, 'message', { signal }) as Promise<[ReaderAnswer]>
      const ended = once(this.#child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`The reader ended with ${code ?? by}`)
      })
      this.#child.send(dump)
      const [{ fault }] = await Promise.race([answered, ended])
      assert.equal(fault, undefined)
    } finally {
      over.abort()
    }
  }

  async #upload({ source, files }: DumpCase): Promise<void> {
    const { full } = this.#lane.next()
    const contents = files.map(({ content }) => Buffer.from(content, 'latin1'))
    const names = files.map(({ name }, i) => `${name}:${contents[i]?.length}`)
    const created = await this.#lane.send({
      method: 'POST',
      path: `/imports?source=${source}&files=${names.join(',')}`,
      key: full,
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.concat(contents),
    })
    if (created.status !== 201) return
    const path = `/imports/${JSON.parse(created.body).id}`
    const { body } = await this.#lane.send({ method: 'GET', path, key: full })
    const { variables } = JSON.parse(body) as { variables: readonly string[] }
    const values = Object.fromEntries(variables.map((name) => [name, 'x']))
    const planned = await this.#lane.post(full, `${path}/plan`, { variableValues: values })
    // What a reader writes is valid, but for values of variables, and for addresses that earlier dumps have taken.
    const isTaken = planned.status === 400 && planned.body.includes('is in use; choose another one')
    if (variables.length === 0 && !isTaken) assert.equal(planned.status, 200, planned.body.slice(0, 500))
    if (planned.status === 200)
      await this.#lane.post(full, `${path}/apply`, { planId: JSON.parse(planned.body).planId })
    await this.#lane.send({ method: 'DELETE', path, key: full })
  }
}
