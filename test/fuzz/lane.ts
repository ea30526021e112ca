import assert from 'node:assert/strict'
import type { RawAnswer } from '../support/raw-http.ts'
import { CaseRequests } from './case-requests.ts'
import { envelopeOf, expectRefusal, headerOf, problemsOf } from './check-response.ts'
import { type Expected, expectationOf, sentValue } from './expected-response.ts'
import { MaintenanceModel } from './maintenance-model.ts'
import type { Model } from './model.ts'
import { fillIds } from './page-bodies.ts'
import { PageModel } from './page-model.ts'
import type { Case } from './request-cases.ts'
import { isReturnedUnchanged } from './returned-fields.ts'
import { type DescribedOperation, faultsOf } from './schema.ts'
import { type FuzzTarget, openConnection, type RequestToSend } from './target.ts'
import { WebhookModel } from './webhook-model.ts'

/** Few, so that cases use the same ones repeatedly. */
const MONITORS = 6

interface Known {
  readonly id: string
  type: string
  paused: boolean
}

/** The resource that a case refers to, if it exists. */
interface Target {
  readonly monitor: Known | undefined
  /** An id that one of the models knows. */
  readonly other: string | undefined
}

/** Random names can already be in use on the installation. */
const takesNames = new Set(['createStatusPage', 'updateStatusPage'])

/** An organization in which cases run one after the other; every response is compared with a model. */
export class Lane {
  readonly #world: FuzzTarget
  readonly #key: string
  readonly #requests: CaseRequests
  readonly #line: ReturnType<typeof openConnection>
  readonly #monitors: Known[] = []
  readonly #pages = new PageModel()
  readonly #models: readonly Model[] = [new WebhookModel(), this.#pages, new MaintenanceModel()]
  #live = 0

  static async open(world: FuzzTarget): Promise<Lane> {
    const { orgId, key } = await world.server.organization('SELF_HOSTED')
    const lane = new Lane(world, key, (await world.server.makeKey(orgId, 'read-only')).key)
    await lane.#createMissing()
    return lane
  }

  private constructor(world: FuzzTarget, key: string, readOnly: string) {
    this.#world = world
    this.#key = key
    this.#requests = new CaseRequests(key, readOnly)
    this.#line = openConnection(world.port)
  }

  close(): void {
    this.#line.close()
  }

  /** Sends a case and throws unless the response is as expected. */
  async run(testCase: Case): Promise<void> {
    const created = testCase.body === undefined ? testCase : { ...testCase, body: fillIds(testCase.body, this.#ids()) }
    const operation = this.#world.operations.find(({ id }) => id === created.operation) as DescribedOperation
    const target = this.#targetOf(created, operation)
    const sent = this.#requests.requestOf(created, operation, () => target.monitor?.id ?? target.other ?? 'nothing')
    const answer = await this.#send(sent)
    const expected = expectationOf(created, operation)
    this.#holdAgainst(answer, expected, created, operation, target)
    if (created.idempotencyKey !== undefined && operation.method !== 'GET') await this.#again(created, sent, answer)
    await this.#createMissing()
  }

  /** The server still serves this client. */
  async alive(): Promise<void> {
    const answer = await this.#send(this.#plain('GET', '/api/v1/monitors?limit=1'))
    assert.equal(answer.status, 200)
  }

  /** The lists contain exactly what the responses acknowledged. */
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
    for (const [path, live] of this.#models.flatMap((model) => Object.entries(model.live))) {
      const list = await this.#send(this.#plain('GET', `/api/v1${path}?limit=1`))
      assert.equal(JSON.parse(list.body).pagination.total, live, path)
    }
  }

  #ids(): { monitor: readonly string[]; page: readonly string[] } {
    return { monitor: this.#monitors.map(({ id }) => id), page: this.#pages.ids }
  }

  async #send(sent: RequestToSend): Promise<RawAnswer> {
    const answer = await this.#line.send(sent)
    assert.deepEqual(problemsOf(answer), [], `${sent.method} ${sent.path} → ${answer.status} ${answer.body}`)
    return answer
  }

  #plain(method: string, path: string, body?: string): RequestToSend {
    return { method, path, body, headers: { 'x-api-key': this.#key, 'content-type': 'application/json' } }
  }

  async #createMissing(): Promise<void> {
    while (this.#monitors.length < MONITORS || !this.#monitors.some(({ type }) => type === 'CRON')) {
      const answer = await this.#send(this.#plain('POST', '/api/v1/monitors', '{"name":"stock","type":"CRON"}'))
      assert.equal(answer.status, 201)
      this.#learn(answer)
    }
    for (const model of this.#models) {
      for (let next = model.wanted(); next !== undefined; next = model.wanted()) {
        const { operation, path, body, id } = next
        const answer = await this.#send(this.#plain('POST', `/api/v1${path}`, body && fillIds(body, this.#ids())))
        assert.ok(answer.status < 300, answer.body)
        model.follow(operation, id, JSON.parse(answer.body))
      }
    }
  }

  #learn(answer: RawAnswer): void {
    this.#live += 1
    const { id, type } = JSON.parse(answer.body)
    this.#monitors.push({ id, type, paused: false })
    // Monitors that cases no longer use stay stored and are counted at the end.
    if (this.#monitors.length > 4 * MONITORS) this.#monitors.splice(0, 1)
  }

  #targetOf({ target }: Case, operation: DescribedOperation): Target {
    if ('id' in target) return { monitor: undefined, other: undefined }
    const { id, path } = operation
    // A check of any other type would contact other hosts.
    const fit = id === 'checkMonitor' ? this.#monitors.filter(({ type }) => type === 'CRON') : this.#monitors
    return {
      monitor: path.includes('{monitorId}') ? fit[target.nth % fit.length] : undefined,
      other: this.#models.map((model) => model.target(operation, target.nth)).find((known) => known !== undefined),
    }
  }

  #holdAgainst(
    answer: RawAnswer,
    expected: Expected,
    created: Case,
    operation: DescribedOperation,
    target: Target,
  ): void {
    const responseText = `${answer.status} ${answer.body.slice(0, 500)}`
    if (!('accepted' in expected)) expectRefusal(answer, expected)
    else if (answer.status >= 400)
      this.#holdRefusal(answer, expected.accepted, created, operation, target, responseText)
    else this.#holdSuccess(answer, created, operation, target)
  }

  /** A valid request is refused only because of stored data: missing, paused, disabled or in progress. */
  #holdRefusal(
    answer: RawAnswer,
    accepted: 'surely' | 'perhaps',
    created: Case,
    operation: DescribedOperation,
    { monitor, other }: Target,
    responseText: string,
  ): void {
    if (accepted === 'perhaps' && answer.status === 400) return
    if (accepted === 'perhaps' && takesNames.has(operation.id) && answer.status === 409) return
    // Other resources do not exist.
    const elsewhere = operation.path.includes('{') && monitor === undefined && other === undefined
    if ('id' in created.target || elsewhere) assert.equal(answer.status, 404, responseText)
    else if (operation.id === 'checkMonitor' && monitor?.paused === true) assert.equal(answer.status, 409, responseText)
    else assert.equal(answer.status, this.#refusal(operation.id, other), `refused: ${responseText}`)
  }

  #holdSuccess(answer: RawAnswer, created: Case, operation: DescribedOperation, { monitor, other }: Target): void {
    const { status, schema } = operation.success
    assert.equal(answer.status, status)
    const body = JSON.parse(answer.body)
    assert.deepEqual(faultsOf(schema ?? {}, body, 'answer'), [], `the answer keeps to its schema: ${answer.body}`)
    if (operation.method === 'POST' || operation.method === 'PATCH') {
      for (const [field, value] of Object.entries(sentValue(created.body || '{}') as object)) {
        if (isReturnedUnchanged(created, field)) assert.deepEqual(body[field], value, field)
      }
    }
    assert.equal(this.#refusal(operation.id, other), undefined, `accepted: ${answer.body}`)
    if (operation.id === 'createMonitor') this.#learn(answer)
    else if (monitor !== undefined) this.#follow(operation.id, monitor, body)
    else for (const model of this.#models) model.follow(operation.id, other, body)
  }

  #refusal(operation: string, id: string | undefined): number | undefined {
    return this.#models.map((model) => model.refusal(operation, id)).find((status) => status !== undefined)
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

  /** Repeating the request has the same response and no effect; another request with the same key is a conflict. */
  async #again(created: Case, sent: RequestToSend, before: RawAnswer): Promise<void> {
    if (created.again === 'no' || before.status >= 400) return
    const other = { ...sent, body: '{"name":"another","type":"CRON"}', headers: withoutFraming(sent.headers) }
    const repeated = created.again === 'same' ? sent : other
    if (created.again === 'other' && !['createMonitor', 'updateMonitor'].includes(created.operation)) return
    const answer = await this.#send(repeated)
    if (created.again === 'other') {
      assert.equal(envelopeOf(answer).code, 'idempotency_conflict')
      return
    }
    assert.deepEqual([answer.status, answer.body], [before.status, before.body])
    assert.equal(headerOf(answer, 'idempotency-replayed'), 'true')
  }
}

function withoutFraming(headers: RequestToSend['headers']): Record<string, string> {
  const { 'transfer-encoding': _, 'content-length': __, ...rest } = headers
  return { ...rest, 'content-type': 'application/json' }
}
