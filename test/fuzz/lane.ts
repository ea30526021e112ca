import assert from 'node:assert/strict'
import type { Case } from './cases.ts'
import { type Expected, expectationOf, isUnroutable, sentValue } from './expect.ts'
import { complaintsAbout, envelopeOf, headerOf } from './judge.ts'
import { type Described, faultsOf } from './schema.ts'
import type { RawAnswer } from './wire.ts'
import { openLine, type Sent, type World } from './world.ts'

/** Few enough that they are met again and again. */
const MONITORS = 6

interface Known {
  readonly id: string
  type: string
  paused: boolean
}

/** An organization of its own, in which cases run one after the other and every answer is held against a model. */
export class Lane {
  readonly #world: World
  readonly #key: string
  readonly #readOnly: string
  readonly #line: ReturnType<typeof openLine>
  readonly #monitors: Known[] = []
  #live = 0
  #keys = 0

  static async open(world: World): Promise<Lane> {
    const { orgId, key } = await world.server.organization('SELF_HOSTED')
    const lane = new Lane(world, key, (await world.server.makeKey(orgId, 'read-only')).key)
    await lane.#restock()
    return lane
  }

  private constructor(world: World, key: string, readOnly: string) {
    this.#world = world
    this.#key = key
    this.#readOnly = readOnly
    this.#line = openLine(world.port)
  }

  close(): void {
    this.#line.close()
  }

  /** Sends a case and throws unless everything about the answer is as it must be. */
  async run(made: Case): Promise<void> {
    const operation = this.#world.operations.find(({ id }) => id === made.operation) as Described
    const target = this.#targetOf(made, operation)
    const sent = this.#sentFor(made, operation, target?.id)
    const answer = await this.#send(sent)
    const expected = isUnroutable(made) && made.auth !== 'none' ? unroutable(made) : expectationOf(made, operation)
    this.#holdAgainst(answer, expected, made, operation, target)
    if (made.idempotencyKey !== undefined && operation.method !== 'GET') await this.#again(made, sent, answer)
    await this.#restock()
  }

  /** The server serves this client as if nothing had happened. */
  async alive(): Promise<void> {
    const answer = await this.#send(this.#plain('GET', '/api/v1/monitors?limit=1'))
    assert.equal(answer.status, 200)
  }

  /** What is stored is what the answers said, to the end of the list. */
  async finish(): Promise<void> {
    const ids: string[] = []
    for (let offset = 0; ; offset += 100) {
      const page = await this.#send(this.#plain('GET', `/api/v1/monitors?limit=100&offset=${offset}`))
      const { data, pagination } = JSON.parse(page.body)
      ids.push(...data.map(({ id }: { id: string }) => id))
      assert.equal(pagination.total, this.#live, 'the total counts what was created and not deleted')
      if (offset + 100 >= pagination.total) break
    }
    assert.equal(new Set(ids).size, this.#live)
    for (const { id } of this.#monitors) assert.ok(ids.includes(id), `${id} is in the list`)
  }

  async #send(sent: Sent): Promise<RawAnswer> {
    const answer = await this.#line.send(sent)
    assert.deepEqual(complaintsAbout(answer), [], `${sent.method} ${sent.path} → ${answer.status} ${answer.body}`)
    return answer
  }

  #plain(method: string, path: string, body?: string): Sent {
    return { method, path, body, headers: { 'x-api-key': this.#key, 'content-type': 'application/json' } }
  }

  async #restock(): Promise<void> {
    while (this.#monitors.length < MONITORS || !this.#monitors.some(({ type }) => type === 'CRON')) {
      const answer = await this.#send(this.#plain('POST', '/api/v1/monitors', '{"name":"stock","type":"CRON"}'))
      assert.equal(answer.status, 201)
      this.#learn(answer)
    }
  }

  #learn(answer: RawAnswer): void {
    this.#live += 1
    const { id, type } = JSON.parse(answer.body)
    this.#monitors.push({ id, type, paused: false })
    // Those that are no longer met stay stored, and are counted in the end.
    if (this.#monitors.length > 4 * MONITORS) this.#monitors.splice(0, 1)
  }

  #targetOf({ target }: Case, { id, path }: Described): Known | undefined {
    if ('id' in target || !path.includes('{')) return undefined
    // A check of any other type would go out into the world.
    const fit = id === 'checkMonitor' ? this.#monitors.filter(({ type }) => type === 'CRON') : this.#monitors
    return fit[target.nth % fit.length]
  }

  #sentFor(made: Case, operation: Described, known: string | undefined): Sent {
    const id = 'id' in made.target ? made.target.id : (known ?? '')
    const query = made.query.map(([name, value]) => `${encodeURIComponent(name)}=${escaped(value)}`).join('&')
    const headers: Record<string, string> = { ...this.#credentials(made.auth) }
    if (made.idempotencyKey !== undefined) headers['idempotency-key'] = this.#ownKey(made.idempotencyKey)
    if (made.contentType !== undefined) headers['content-type'] = made.contentType
    if (made.body !== undefined && made.chunked) headers['transfer-encoding'] = 'chunked'
    else if (made.body !== undefined) headers['content-length'] = `${Buffer.byteLength(made.body)}`
    const path = `${operation.path.replace(/\{[^}]+\}/, () => id)}${query === '' ? '' : `?${query}`}`
    return { method: operation.method, path, headers, body: made.body }
  }

  /** A key that is good at all is good once: cases must not meet each other's. */
  #ownKey(key: string): string {
    this.#keys += 1
    return /^[\w.:-]{1,200}$/.test(key) ? `${this.#keys}.${key}`.slice(0, 200) : key
  }

  #credentials(auth: Case['auth']): Record<string, string> {
    switch (auth) {
      case 'key':
        return { 'x-api-key': this.#key }
      case 'bearer':
        return { authorization: `Bearer ${this.#key}` }
      case 'both':
        return { 'x-api-key': this.#key, authorization: `Bearer ${this.#key}` }
      case 'read-only':
        return { 'x-api-key': this.#readOnly }
      case 'unknown':
        return { 'x-api-key': `${this.#key}x` }
      default:
        return {}
    }
  }

  #holdAgainst(
    answer: RawAnswer,
    expected: Expected,
    made: Case,
    operation: Described,
    target: Known | undefined,
  ): void {
    const said = `${answer.status} ${answer.body.slice(0, 500)}`
    if ('status' in expected) {
      assert.equal(answer.status, expected.status, said)
      assert.equal(envelopeOf(answer).code, expected.code, said)
      return
    }
    if ('faults' in expected) {
      assert.equal(answer.status, 400, said)
      const told = envelopeOf(answer).details?.map(({ path }) => path) ?? []
      assert.deepEqual(
        expected.faults.filter((path) => !told.includes(path)),
        [],
        `faults that were not told: ${said}`,
      )
      assert.equal(new Set(told).size, told.length, `a fault was told twice: ${said}`)
      return
    }
    if (answer.status >= 400) this.#holdRefusal(answer, expected.accepted, made, operation, target, said)
    else this.#holdSuccess(answer, made, operation, target)
  }

  /** What was fit to be accepted is refused only for what is stored: nothing there, or paused. */
  #holdRefusal(
    answer: RawAnswer,
    accepted: 'surely' | 'perhaps',
    made: Case,
    operation: Described,
    target: Known | undefined,
    said: string,
  ): void {
    if (accepted === 'perhaps' && answer.status === 400) return
    // Of what is no monitor nothing is there.
    const elsewhere = operation.path.includes('{') && !operation.path.includes('{monitorId}')
    if ('id' in made.target || elsewhere) assert.equal(answer.status, 404, said)
    else if (operation.id === 'checkMonitor' && target?.paused === true) assert.equal(answer.status, 409, said)
    else assert.fail(`refused: ${said}`)
  }

  #holdSuccess(answer: RawAnswer, made: Case, operation: Described, target: Known | undefined): void {
    const { status, schema } = operation.success
    assert.equal(answer.status, status)
    const body = JSON.parse(answer.body)
    assert.deepEqual(faultsOf(schema, body, 'answer'), [], `the answer keeps to its schema: ${answer.body}`)
    if (operation.id === 'createMonitor' || operation.id === 'updateMonitor') {
      const given = sentValue(made.body ?? '{}') as object
      for (const [field, value] of Object.entries(given)) assert.deepEqual(body[field], value, field)
    }
    if (operation.id === 'createMonitor') this.#learn(answer)
    else if (target !== undefined) this.#follow(operation.id, target, body)
  }

  #follow(operation: string, target: Known, body: { id: string; type: string; state: string }): void {
    if (operation === 'deleteMonitor') {
      assert.deepEqual(body, { data: { id: target.id } })
      this.#monitors.splice(this.#monitors.indexOf(target), 1)
      this.#live -= 1
      return
    }
    assert.equal(body.id, target.id)
    target.type = body.type
    if (operation === 'pauseMonitor') target.paused = true
    if (operation === 'resumeMonitor') target.paused = false
    assert.equal(body.state === 'PAUSED', target.paused)
  }

  /** The same request again has the same answer and no effect; another one with the same key is a conflict. */
  async #again(made: Case, sent: Sent, before: RawAnswer): Promise<void> {
    if (made.again === 'no' || before.status >= 400) return
    const other = { ...sent, body: '{"name":"another","type":"CRON"}', headers: withoutFraming(sent.headers) }
    const repeated = made.again === 'same' ? sent : other
    if (made.again === 'other' && !['createMonitor', 'updateMonitor'].includes(made.operation)) return
    const answer = await this.#send(repeated)
    if (made.again === 'other') {
      assert.equal(envelopeOf(answer).code, 'idempotency_conflict')
      return
    }
    assert.deepEqual([answer.status, answer.body], [before.status, before.body])
    assert.equal(headerOf(answer, 'idempotency-replayed'), 'true')
  }
}

function withoutFraming(headers: Sent['headers']): Record<string, string> {
  const { 'transfer-encoding': _, 'content-length': __, ...rest } = headers
  return { ...rest, 'content-type': 'application/json' }
}

function unroutable({ auth }: Case): Expected {
  if (auth === 'unknown' || auth === 'both') return { status: 401, code: 'unauthorized' }
  return { faults: ['path'] }
}

/** Query values with a % are encoded already, well or badly. */
function escaped(value: string): string {
  return value.includes('%') ? value : encodeURIComponent(value)
}
