import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { storeIncidentEvidence } from '../../src/monitoring/evidence/store.ts'
import { countFailure, openIncident } from '../../src/monitoring/incidents/queries.ts'
import { englishText } from '../../src/reasons/english.ts'
import { type Reason, reason } from '../../src/reasons/reason.ts'
import { reasonText } from '../../src/reasons/text-for.ts'
import { execute, q } from '../../src/storage/query.ts'
import { storeChecks } from '../monitoring/check-results/store-checks.ts'
import { numOf } from '../monitoring/checks/stored-history.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt } from './publishing.ts'

const host = '192.0.2.7:443'
const at = '2026-11-19T13:02:00.000Z'
const status = reason('http_status_named', { status: 503, name: 'Service Unavailable', expected: ['2xx', '3xx'] })

/** One of each kind: connections, DNS, TLS, HTTP, assertions, ports, ping, domains, heartbeats. */
const planted: readonly Reason[] = [
  reason('connection_refused', { peer: host }),
  reason('both_families_fail', { cause: reason('connect_timeout', { host, ms: 10_000 }) }),
  reason('nxdomain', { host: 'shop.test' }),
  reason('dns_mismatch', {
    expected: reason('listed', { list: ['192.0.2.1', '192.0.2.2'] }),
    got: reason('listed', { list: ['192.0.2.9'] }),
  }),
  reason('certificate_expired', { at }),
  reason('stripped', { cause: status }),
  status,
  reason('keyword_missing', { keyword: 'Willkommen' }),
  reason('assertion', {
    subject: reason('subject_response_time'),
    found: reason('found', { value: reason('milliseconds', { value: '812' }) }),
    expected: reason('expected_less', { value: reason('milliseconds', { value: '500' }) }),
  }),
  reason('step', {
    number: 2,
    cause: reason('reply_late', { expected: '+PONG', got: reason('reply_none'), ms: 3000 }),
  }),
  reason('ping_timeout', { count: 3, ms: 10_000 }),
  reason('domain_expired', { domain: 'shop.test', at }),
  reason('heartbeat_missed', { last: at, deadline: at }),
]

const summary: readonly Reason[] = [
  reason('changed_earlier', {
    change: reason('field_changed', { field: reason('field_server'), before: 'nginx', after: 'envoy' }),
    minutes: 10,
  }),
  reason('nothing_else_changed'),
]

/** Words of English sentences that German and Japanese texts do not have. */
const ENGLISH = /\b(?:the|of|and|has|must|with|from|cannot|expected|failed|timed|refused|yet|earlier|within)\b/i

describe('A dashboard that is not English', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('shows no English sentence on any screen, with a failure of every kind', async () => {
    const paths = await plant(dashboard)
    for (const language of ['de', 'ja'] as const) {
      await dashboard.owner.patch('/me', { language })
      const page = await dashboard.open()
      await page.goto(dashboard.at('/settings/account'))
      await page.locator(`html[lang="${language}"]`).waitFor()
      for (const path of paths) {
        await page.goto(dashboard.at(path))
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await page.waitForLoadState('networkidle')
        assert.deepEqual(await englishIn(page), [], `${path} in ${language}`)
      }
      const [refused] = planted as [Reason]
      await page.goto(dashboard.at('/monitors'))
      await page
        .getByText(reasonText(refused, language, 'UTC'))
        .first()
        .waitFor()
      await page.close()
    }
    await dashboard.owner.patch('/me', { language: null })
  })

  test('says in the language of the user what is wrong with a request', async () => {
    await dashboard.owner.patch('/me', { language: 'de' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/mon_none'))
    await page.locator('html[lang="de"]').waitFor()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    assert.deepEqual(await englishIn(page), [])
    await page.goto(dashboard.at('/settings/account'))
    await page.getByLabel('Aktuelles Passwort', { exact: true }).fill('falsch und lang genug')
    await page.getByLabel('Neues Passwort', { exact: true }).fill('1234567890')
    await page.getByRole('button', { name: 'Passwort ändern' }).click()
    await page.getByText(/ist leicht zu erraten/).waitFor()
    assert.deepEqual(await englishIn(page), [])
    await dashboard.owner.patch('/me', { language: null })
  })
})

/** A monitor with an incident for each reason. Returns the screens that show them. */
async function plant({ server }: ReturnType<typeof useDashboard>): Promise<readonly string[]> {
  const client = server.client()
  const paths = [
    '/',
    '/monitors',
    '/incidents',
    '/wall',
    '/maintenance',
    '/status-pages',
    '/webhooks',
    '/settings/contacts',
  ]
  for (const [i, why] of planted.entries()) {
    const { id } = await createAt(client, '/monitors', {
      name: `Kasse ${i}`,
      type: 'HTTP',
      url: `https://kasse${i}.test/`,
    })
    const incident = newId('inc', Date.now() + i)
    const begun = Date.now() - HOUR_MS
    await server.running.database.write(function* () {
      const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
      const { num, org_id: orgId } = monitor as { num: number; org_id: string }
      const failure = { statusCode: 503, responseMs: 12, ip: '192.0.2.7', excerpt: null }
      yield* openIncident(orgId, incident, num, 'STATUS', { ...failure, at: begun, error: status })
      yield* countFailure(orgId, incident, { ...failure, at: begun + MINUTE_MS, error: why })
      yield* execute(
        q
          .updateTable('monitor_states')
          .set({ state: 'DOWN', open_incident: incident, last_checked_at: begun })
          .where('num', '=', num),
      )
      yield* storeIncidentEvidence(orgId, incident, {
        lastGood: { at: begun - MINUTE_MS, fields: { server: 'nginx' } },
        firstFailure: { at: begun, code: 'STATUS', error: why, fields: { server: 'envoy' }, phases: {} },
        changes: [{ field: 'server', before: 'nginx', after: 'envoy', changedAt: begun, rarity: 0 }],
        phases: {},
        summary,
      })
    })
    await storeChecks(server.running.database, await numOf(server, id), [
      { at: begun + MINUTE_MS, state: 'DOWN', responseMs: 12, causeCode: 'STATUS', error: why },
      { at: begun + 2 * MINUTE_MS, state: 'INCONCLUSIVE', responseMs: null, causeCode: null, error: reason('offline') },
    ])
    paths.push(`/monitors/${id}`, `/incidents/${incident}`)
  }
  return paths
}

/** Lines of the page that are English. Names of the test are not. */
async function englishIn(page: Page): Promise<readonly string[]> {
  const text = await page.evaluate<string>('document.body.innerText')
  const sentences = [...planted, ...summary].map(englishText)
  return text.split('\n').filter((line) => ENGLISH.test(line) || sentences.some((sentence) => line.includes(sentence)))
}
