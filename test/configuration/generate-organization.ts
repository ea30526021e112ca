import assert from 'node:assert/strict'
import fc from 'fast-check'
import { channelNames } from '../../src/notifications/contacts/channels/index.ts'
import { contactSettings } from '../attacks/plant-secrets.ts'
import { accepted } from '../fuzz/request-cases.ts'
import { operationsOf } from '../fuzz/schema.ts'
import { makeSelfSigned } from '../support/certificates.ts'
import { publicContract } from '../support/conformance.ts'
import type { Client } from '../support/server.ts'

const operations = new Map(operationsOf(publicContract.document).map((one) => [one.id, one]))

type Body = Record<string, unknown>

/** Random bodies that an operation accepts. */
export function bodiesOf(operation: string, seed: number, count: number): Body[] {
  const described = operations.get(operation) ?? assert.fail(operation)
  const bodies = accepted[operation]?.(described) ?? assert.fail(operation)
  return fc.sample(bodies, { seed, numRuns: count }).map((text) => JSON.parse(text))
}

const { key, cert } = makeSelfSigned({ hosts: ['client.test'] })

const steps = [{ send: `AUTH \${x}\r\n`, expect: '+OK' }, { sendHex: '00ff' }]
const login = { username: 'ada', password: `p"\\\${p}` }

/** Every option of monitors, with each kind of secret. */
const options: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  HTTP: [
    ['request', { auth: { type: 'BASIC', ...login }, proxyUrl: 'http://ada:lovelace@proxy.example:3128' }],
    ['request', { auth: { type: 'BEARER', token: '#token:&*!with$$YAML' }, maxRedirects: 3, addressFamily: 'IPV6' }],
    ['request', { auth: { type: 'DIGEST', ...login }, resolver: '192.0.2.53:53' }],
    ['request', { clientCertificate: { cert, key }, ca: cert, serverName: 'shop.example' }],
    ['assertions', { assertions: [{ source: 'JSON', path: '$.db', operator: 'EQUALS', value: null }] }],
    ['assertions', { assertions: [{ source: 'HEADER', path: 'age', operator: 'LESS', value: 5 }] }],
    [
      'request',
      {
        auth: {
          type: 'OAUTH2_CLIENT_CREDENTIALS',
          tokenUrl: 'https://login.example/token',
          clientId: 'a',
          clientSecret: 'secret',
          scope: 'health',
        },
      },
    ],
  ],
  PORT: [
    ['dialogue', { steps }],
    ['dialogue', { transport: 'STARTTLS', preset: 'SMTP' }],
  ],
  CRON: [['schedule', { cron: '0 3 * * *', timezone: 'Europe/Berlin' }]],
  all: [
    ['notes', { text: `Costs \${EUR} and $\${x}\n- yes`, runbookUrl: 'https://wiki.example/a' }],
    ['confirmation', { failureRetries: 2, retryDelaysSeconds: [5, 10] }],
  ],
}

/** A stored resource: what was sent, under the names of a document. */
export type Sent = Map<string, Body>

/** Creates resources of all kinds with all options, one request each. Returns what was sent, by id. */
export async function generateOrganization(client: Client, seed: number): Promise<Sent> {
  const sent: Sent = new Map()
  const call = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await client.send(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path} ${JSON.stringify([body, answer.body])}`)
    return answer.body.id
  }
  const create = async (path: string, body: Body): Promise<string> => {
    const id = await call('POST', path, body)
    sent.set(id, body)
    return id
  }
  const pick = <T>(values: readonly T[], i: number): T => values[(i + seed) % values.length] as T

  const monitorIds: string[] = []
  const labels = bodiesOf('setMonitorLabels', seed, 16)
  for (const [i, body] of bodiesOf('createMonitor', seed, 16).entries()) {
    const { type, url } = body
    const user = type === 'HTTP' && i % 2 === 0 && { url: String(url).replace('://', `://ada:p%24%7B${i}@`) }
    const id = await create('/monitors', { ...body, ...user })
    monitorIds.push(id)
    if (i % 3 > 0) await call('PUT', `/monitors/${id}/labels`, labels[i] as Body)
    const own = options[String(type)] ?? []
    const chosen = [...(own.length > 0 ? [pick(own, i)] : []), ...(i % 2 === 0 ? [pick(options.all ?? [], i)] : [])]
    for (const [name, option] of chosen) {
      if (name === 'confirmation' && type === 'CRON') continue
      await call('PUT', `/monitors/${id}/${name.replace('legacyAddress', 'legacy-address')}`, option)
      sent.set(id, { ...sent.get(id), [name]: 'assertions' in option ? option.assertions : option })
    }
    if (i % 5 === 0) await call('POST', `/monitors/${id}/pause`, {})
  }
  await create('/monitors', { name: 'Domain', type: 'DOMAIN', url: 'shop.example' })

  let used = 0
  const withIds = (body: Body, ids: Readonly<Record<string, readonly string[]>>): Body =>
    JSON.parse(
      JSON.stringify(body).replace(/@(\w+)@/g, (_, name: string) => {
        used += 1
        return pick(ids[name] ?? assert.fail(name), used)
      }),
    )
  const statusPageIds: string[] = []
  for (const [i, body] of bodiesOf('createStatusPage', seed, 4).entries()) {
    const page = withIds(body, { monitorId: monitorIds })
    const id = await create('/status-pages', page)
    statusPageIds.push(id)
    const [section] = page.sections as { name: string }[]
    if (section === undefined || i % 2 === 0) continue
    await call('PUT', `/status-pages/${id}/selectors`, { sections: [{ name: section.name, selector: 'team=pay' }] })
  }
  for (const body of bodiesOf('createMaintenanceWindow', seed, 4)) {
    await create('/maintenance-windows', withIds(body, { monitorId: monitorIds, statusPageId: statusPageIds }))
  }
  for (const body of bodiesOf('createWebhookEndpoint', seed, 3)) await create('/webhook-endpoints', body)

  const contacts = bodiesOf('createContact', seed, channelNames.length)
  for (const [i, channel] of channelNames.entries()) {
    const choose = (name: string, length = 24) => `${name}${seed}`.replace(/\W/g, '').padEnd(length, 'qzvkwjbn')
    const settings = contactSettings[channel]('https://hooks.example', choose)
    const body = { ...contacts[i], channel, settings, enabled: i % 4 !== 0, ...(i % 3 === 0 && { kinds: ['OPENED'] }) }
    const id = await create('/contacts', body)
    const { covers = 'ALL' } = body as { covers?: string }
    const some = [pick(monitorIds, i), pick(monitorIds, i + 5)]
    for (const monitorId of covers === 'LABELS' ? [] : some) {
      await call(covers === 'ALL' ? 'DELETE' : 'PUT', `/monitors/${monitorId}/contacts/${id}`, {})
    }
  }
  return sent
}
