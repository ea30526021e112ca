import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { appOperations } from '../../src/server/operations/app-table.ts'
import { operations } from '../../src/server/operations/table.ts'
import { useInstallation } from '../support/person.ts'
import type { Answer } from '../support/server.ts'

interface Described {
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
}

/** Texts that people read on one line. */
const NAMES = /^(name|title|displayName|organizationName)$/

/** Names an existing section, whatever its name is. */
const references = new Set(['setStatusPageSelectors sections.0.name'])

interface NameField {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Dotted, with 0 for the items of a list. */
  readonly field: string
}

function namesIn(schema: Described, path: readonly string[] = []): string[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [
    ...(NAMES.test(name) ? [[...path, name].join('.')] : []),
    ...namesIn(part, [...path, name]),
  ])
  return schema.items === undefined ? here : [...here, ...namesIn(schema.items, [...path, '0'])]
}

function nameFields(table: readonly { id: string; method: string; path: string; body?: TSchema }[]): NameField[] {
  return table.flatMap(({ id, method, path, body }) =>
    namesIn((body ?? {}) as Described)
      .filter((field) => !references.has(`${id} ${field}`))
      .map((field) => ({ id, method, path: path.replace(/:\w+/g, 'x'), field })),
  )
}

/** `{ sections: [{ name }] }` for `sections.0.name`. */
function bodyWith(field: string, value: string): unknown {
  return field.split('.').reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)
}

const extra: readonly NameField[] = [
  { id: 'createWebhookEndpoint', method: 'POST', path: '/webhook-endpoints', field: 'description' },
  { id: 'updateWebhookEndpoint', method: 'PATCH', path: '/webhook-endpoints/x', field: 'description' },
  { id: 'setMonitorLabels', method: 'PUT', path: '/monitors/x/labels', field: 'labels.team' },
  { id: 'changeMonitors', method: 'POST', path: '/monitors/bulk', field: 'labels.team' },
]
const publicFields = [...nameFields(operations), ...extra]
const appFields = nameFields(appOperations)

const hostile = ['\u0000', '\u0007', '\t', '\n', '\r', '\u001b[2J', '\u007f', '\u0085', '\u009b2J'].map((c) => `a${c}b`)
const harmless = ['👩‍👩‍👧 Ünïcödé "\\', 'مراقبة الموقع', 'אתר ראשי', '漢字 ☂', 'e\u0301', '\u200fשלום\u200e']

function expectRefused({ status, body }: Answer, field: string, what: string): void {
  assert.equal(status, 400, `${what} ${JSON.stringify(body)}`)
  const fault = body.error.details.find(({ path }: { path: string }) => path === field)
  assert.equal(fault?.message, 'must not contain control characters', `${what} ${JSON.stringify(body)}`)
}

describe('control characters in names', () => {
  const installation = useInstallation('sqlite', { env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_RATE_LIMIT: '100000' } })

  test('are refused by every operation, of the API and of the dashboard', async () => {
    assert.ok(publicFields.length >= 15 && appFields.length >= 10, `${publicFields.length} ${appFields.length}`)
    const client = installation.server.client()
    for (const [i, { id, method, path, field }] of publicFields.entries()) {
      for (const name of [hostile[i % hostile.length] ?? '', '\u001b]0;x\u0007']) {
        expectRefused(await client.send(method, path, bodyWith(field, name)), field, `${id} ${field}`)
      }
    }
    for (const { id, method, path, field } of appFields) {
      expectRefused(await installation.owner.send(method, path, bodyWith(field, '\u001b[2J')), field, `${id} ${field}`)
    }
    for (const name of hostile) {
      expectRefused(await client.post('/monitors', { name, type: 'CRON' }), 'name', JSON.stringify(name))
    }
  })

  test('do not make other names or texts of several lines invalid', async () => {
    const client = installation.server.client()
    for (const name of harmless) {
      const { status, body } = await client.post('/monitors', { name, type: 'CRON' })
      assert.deepEqual([status, body.name], [201, name])
    }
    const description = 'Two lines,\n\tone of them indented\r\n'
    const page = await client.post('/status-pages', { name: harmless[1], slug: 'multi-line', description })
    assert.deepEqual([page.status, page.body.description], [201, description])
  })
})
