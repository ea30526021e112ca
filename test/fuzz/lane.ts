import assert from 'node:assert/strict'
import { openConnection, type RequestToSend } from '../support/keep-alive.ts'
import { makeOneOfEach } from '../support/one-of-each.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import type { Client } from '../support/server.ts'
import { CaseRequests } from './case-requests.ts'
import { expectRefusal, headerOf, problemsOf } from './check-response.ts'
import { expectationOf, sentValue } from './expected-response.ts'
import { fillPlaceholders } from './extension-bodies.ts'
import type { Case } from './request-cases.ts'
import { isReturnedUnchanged } from './returned-fields.ts'
import type { DescribedOperation } from './schema.ts'
import type { FuzzTarget } from './target.ts'

/** After these, a resource that later cases need may be missing. */
const deletes = /^delete|^changeMonitors$/

/** Valid requests that stored data, limits or unreachable hosts may refuse. */
const refusals: Readonly<Record<string, readonly number[]>> = {
  tryMonitor: [429],
  checkDomain: [429],
  testContact: [429],
  resendContactConfirmation: [409],
  attachContact: [409],
  // One run of a tool at a time.
  createShadowRun: [409],
  detachContact: [409],
  updateMonitors: [409],
  applyConfiguration: [409],
  // A paused monitor, a disabled endpoint, and the 201st update.
  checkMonitor: [409],
  testWebhookEndpoint: [409],
  retryWebhookDelivery: [409],
  postPublishedIncidentUpdate: [409],
}

/**
 * An organization with one resource of each kind, in which cases run one after the other. Each answer must be one that the
 * document describes, and a body that was accepted must be valid by the document.
 */
export class Lane {
  readonly #world: FuzzTarget
  readonly #client: Client
  readonly #orgId: string
  readonly #requests: CaseRequests
  readonly #connection: ReturnType<typeof openConnection>
  #ids: Readonly<Record<string, string>> = {}

  static async open(world: FuzzTarget): Promise<Lane> {
    const { orgId, key } = await world.server.organization('SELF_HOSTED')
    const readOnly = (await world.server.makeKey(orgId, 'read-only')).key
    const lane = new Lane(world, orgId, key, readOnly)
    await lane.#createMissing()
    return lane
  }

  private constructor(world: FuzzTarget, orgId: string, key: string, readOnly: string) {
    this.#world = world
    this.#orgId = orgId
    this.#client = world.server.client(key)
    this.#requests = new CaseRequests(key, readOnly)
    this.#connection = openConnection(world.port)
  }

  close(): void {
    this.#connection.close()
  }

  /** Sends a case and throws unless the response is one that the document describes. */
  async run(testCase: Case): Promise<void> {
    const created =
      testCase.body === undefined ? testCase : { ...testCase, body: fillPlaceholders(testCase.body, this.#ids) }
    const operation = this.#world.operations.find(({ id }) => id === created.operation) as DescribedOperation
    const sent = this.#requests.requestOf(created, operation, (parameter) => this.#ids[parameter] ?? 'nothing')
    const answer = await this.#send(sent, operation)
    const expected = expectationOf(created, operation)
    if (!('accepted' in expected)) expectRefusal(answer, expected)
    else if (answer.status < 400) this.#holdSuccess(created, operation, answer)
    else if (expected.accepted === 'surely' && created.madeUpId === undefined && created.query.length === 0) {
      const isKnown = refusals[operation.id]?.includes(answer.status) === true
      assert.ok(isKnown, `a valid request was refused: ${answer.status} ${answer.body}`)
    }
    if (answer.status < 400 && created.idempotencyKey !== undefined && operation.method !== 'GET') {
      if (created.again) await this.#repeat(sent, operation, answer)
    }
    if (answer.status < 400 && deletes.test(operation.id)) await this.#createMissing()
  }

  /** The server still serves this client. */
  async alive(): Promise<void> {
    assert.equal((await this.#client.get('/monitors?limit=1')).status, 200)
  }

  async #createMissing(): Promise<void> {
    this.#ids = await makeOneOfEach(this.#world.server, this.#client, this.#orgId, 'http://127.0.0.1:9/')
  }

  async #send(sent: RequestToSend, operation: DescribedOperation): Promise<RawAnswer> {
    const answer = await this.#connection.send(sent)
    const what = `${sent.method} ${sent.path} → ${answer.status} ${answer.body.slice(0, 500)}`
    const isText = answer.status < 400 && operation.success.schema === undefined
    assert.deepEqual(problemsOf(answer, { isText }), [], what)
    const headers = new Headers({ 'content-type': headerOf(answer, 'content-type') ?? '' })
    const body = isText ? answer.body : JSON.parse(answer.body)
    this.#world.contract.expectBody(this.#described(operation), { status: answer.status, headers, body }, what)
    return answer
  }

  #described({ method, path }: DescribedOperation) {
    const found = this.#world.contract.operationFor({ method, path }, '')
    assert.ok(found, `${method} ${path}`)
    return found
  }

  /** The document does not promise less than the server accepts. */
  #holdSuccess(created: Case, operation: DescribedOperation, answer: RawAnswer): void {
    const { requestBody } = this.#described(operation)
    if (requestBody === undefined || operation.method === 'GET') return
    const validator = this.#world.contract.validator(requestBody.content['application/json'].schema)
    const value = sentValue(created.body || '{}')
    assert.ok(validator.Check(value), `accepted, but invalid by the document: ${created.body?.slice(0, 500)}`)
    for (const [field, sent] of Object.entries(value as object)) {
      if (isReturnedUnchanged(created, field)) assert.deepEqual(JSON.parse(answer.body)[field], sent, field)
    }
  }

  async #repeat(sent: RequestToSend, operation: DescribedOperation, before: RawAnswer): Promise<void> {
    const answer = await this.#send(sent, operation)
    assert.deepEqual([answer.status, answer.body], [before.status, before.body])
    assert.equal(headerOf(answer, 'idempotency-replayed'), 'true')
  }
}
