import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { smallest } from '../../support/monitors.ts'
import type { RawAnswer } from '../../support/raw-http.ts'
import { type AnswerCase, ORGANIZATIONS_WITH_RUNS, type Receiver, type TargetQuestion, type Tool } from './answers.ts'
import type { ForeignLane, Keys } from './attacked-server.ts'
import type { ForeignHost } from './foreign-host.ts'

const PERFECT = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const [TARGET, TOKEN, RECEIVER] = ['/target', '/token', '/receiver']

const assertions = [
  { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok' },
  { source: 'JSON', path: '$..[?@.a == 1 || search(@.name, "c[hx]+")]', operator: 'EXISTS' },
  { source: 'JSON', path: '$..*', operator: 'NOT_EXISTS' },
  { source: 'BODY', operator: 'MATCHES', value: '(a|b+)+$c' },
  { source: 'BODY', operator: 'NOT_CONTAINS', value: 'é' },
  { source: 'HEADER', path: 'x-many', operator: 'MATCHES', value: '^(y, )*z' },
  { source: 'STATUS', operator: 'LESS', value: 300 },
]

/** Lets the server ask a foreign host, in every way it can. */
export class ForeignAnswers {
  readonly #lane: ForeignLane
  readonly #host: ForeignHost
  readonly #greeter: ForeignHost
  readonly #contacts = new Map<string, string>()
  #isPrepared = false

  constructor(lane: ForeignLane, host: ForeignHost, greeter: ForeignHost) {
    this.#lane = lane
    this.#host = host
    this.#greeter = greeter
  }

  async receive(given: AnswerCase): Promise<void> {
    if (given.to === 'check') await this.#check(given.question, given.answer)
    else if (given.to === 'contact') await this.#notify(given.channel, given.answer)
    else await this.#compare(given.answers)
  }

  async #check(question: TargetQuestion, answer: string): Promise<void> {
    this.#host.answer(TARGET, question === 'TOKEN' ? PERFECT : answer)
    this.#host.answer(TOKEN, answer)
    this.#greeter.answer('', answer)
    const tried = await this.#unlimited(({ full }) =>
      this.#lane.post(full, '/monitors/try', this.#monitorFor(question)),
    )
    assert.equal(tried.status, 200, tried.body)
  }

  #monitorFor(question: TargetQuestion): object {
    const url = `${this.#host.url}${TARGET}`
    const http = { ...smallest('HTTP'), url, timeoutSeconds: 5 }
    switch (question) {
      case 'HTTP':
        return { ...http, options: { assertions: { assertions } } }
      case 'KEYWORD':
        return { ...http, type: 'KEYWORD', keyword: 'ok' }
      case 'TOKEN': {
        const secrets = { clientId: 'a', clientSecret: 'b' }
        const auth = { type: 'OAUTH2_CLIENT_CREDENTIALS', tokenUrl: `${this.#host.url}${TOKEN}`, ...secrets }
        return { ...http, options: { request: { auth } } }
      }
      case 'DIALOGUE': {
        const steps = [{ expect: '/^(220|250)[ -]/' }, { send: 'QUIT\r\n', expect: 'OK' }]
        const port = { ...smallest('PORT'), host: '127.0.0.1', port: this.#greeter.port, timeoutSeconds: 5 }
        return { ...port, options: { dialogue: { transport: 'TCP', steps } } }
      }
      default:
        return { ...http, options: { request: { protocol: question } } }
    }
  }

  async #notify(channel: Receiver, answer: string): Promise<void> {
    this.#host.answer(RECEIVER, answer)
    const tested = await this.#unlimited(async ({ full }) =>
      this.#lane.post(full, `/contacts/${await this.#contact(full, channel)}/test`, {}),
    )
    assert.equal(tested.status, 200, tested.body)
  }

  async #contact(key: string, channel: Receiver): Promise<string> {
    const known = this.#contacts.get(`${key} ${channel}`)
    if (known !== undefined) return known
    const server = `${this.#host.url}${RECEIVER}`
    const settings = { WEBHOOK: { url: server }, GOTIFY: { server, token: 'token' }, NTFY: { server, topic: 'topic' } }
    const body = { name: channel, channel, settings: settings[channel] }
    const created = await this.#lane.post(key, '/contacts', body)
    assert.equal(created.status, 201, created.body)
    const { id } = JSON.parse(created.body)
    this.#contacts.set(`${key} ${channel}`, id)
    return id
  }

  /** Tests of an organization are limited per minute. */
  async #unlimited(ask: (keys: Keys) => Promise<RawAnswer>): Promise<RawAnswer> {
    for (;;) {
      const answer = await ask(this.#lane.next())
      if (answer.status !== 429) return answer
      await delay(200)
    }
  }

  async #compare(answers: Extract<AnswerCase, { to: 'shadow runs' }>['answers']): Promise<void> {
    await this.#prepare()
    const runs = await Promise.all(
      answers.map(async ({ tool, answer }, i) => {
        const { full } = this.#lane.organizations[i % ORGANIZATIONS_WITH_RUNS] as Keys
        this.#host.answer(`/run-${i}`, answer)
        const body = { tool, url: `${this.#host.url}/run-${i}`, key: 'key' }
        const created = await this.#lane.post(full, '/shadow-runs', body)
        assert.equal(created.status, 201, created.body)
        return { full, path: `/shadow-runs/${JSON.parse(created.body).id}` }
      }),
    )
    for (const { full, path } of runs) {
      await eventually(async () => {
        const { body } = await this.#lane.send({ method: 'GET', path, key: full })
        assert.notEqual(JSON.parse(body).lastPollAt, null, body)
      })
      assert.equal((await this.#lane.send({ method: 'DELETE', path, key: full })).status, 200)
    }
  }

  /** Creates monitors that the tools know. */
  async #prepare(): Promise<void> {
    if (this.#isPrepared) return
    this.#isPrepared = true
    const monitor = (name: string) => ({ name, type: 'CRON' })
    const monitors = { shop: monitor('Shop'), api: monitor('API'), website: monitor('core/website') }
    const tools: readonly Tool[] = ['KUMA', 'GATUS', 'UPTIMEROBOT']
    await Promise.all(
      this.#lane.organizations.slice(0, ORGANIZATIONS_WITH_RUNS).map(async ({ full }) => {
        for (const tool of tools) {
          await this.#lane.apply(full, { version: 1, source: `import-${tool.toLowerCase()}`, monitors })
        }
      }),
    )
  }
}
