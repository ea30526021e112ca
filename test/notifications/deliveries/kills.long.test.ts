import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import { newId } from '../../../src/lib/ids.ts'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { alertContacts } from '../../../src/notifications/contacts/queries.ts'
import { queueAccountMail } from '../../../src/notifications/deliveries/account-mails.ts'
import { subject } from '../../../src/outbound/email-subject.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { endWaits } from '../../support/nodes.ts'
import { rounds } from '../../support/rounds.ts'
import { startProcess } from '../../support/server-process.ts'
import { startSmtp } from '../../support/smtp-server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { newAlert, sealer } from '../contacts/alerting.ts'
import { startService } from '../contacts/service.ts'
import { mailEnv } from '../subscribers/mailing.ts'

const KILLS = 2 * rounds
const MAX_UPTIME_MS = 600
const HELD_MS = 100
const HOUR_MS = 3_600_000
const SETTLE_TIMEOUT_MS = 60_000

forEachEngine('alerts and account mails under kill -9', (engine) => {
  test('each that was committed is received, and a repeated one has the same id', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    await using smtp = await startSmtp()
    await using service = await startService()
    const env = {
      ...workspace.env,
      ...mailEnv(smtp.port),
      PHAROS_PRIVATE_WEBHOOKS: 'allow',
      PHAROS_ALERT_WAIT: '0',
      PHAROS_ROLES: 'sender',
    }
    const database = await workspace.open()
    const done = new AbortController()
    const writing = writeUntil(database, service.url, done.signal)
    // On PostgreSQL two nodes take over each other's work.
    const nodes = engine === 'postgres' ? 2 : 1
    const hold = () => [smtp.hold(), service.hold()]
    const killed = Array.from({ length: nodes }, () => startAndKill(env, KILLS / nodes, hold))
    await Promise.all(killed)
    done.abort()
    const committed = await writing
    await using last = await startProcess(env)

    await eventually(async () => {
      await endWaits(database)
      assert.deepEqual(await database.read(execute(q.selectFrom('deliveries').select('id').limit(1))), [])
      assert.deepEqual(await database.read(execute(pendingAlerts)), [])
    }, SETTLE_TIMEOUT_MS)
    const mails = Map.groupBy(smtp.mails, ({ to }) => to[0] as string)
    assert.deepEqual([...mails.keys()].sort(), committed.map(({ address }) => address).sort())
    for (const same of mails.values())
      assert.equal(new Set(same.map(({ headers }) => headers['message-id']?.[0])).size, 1)
    const alerts = Map.groupBy(service.received, ({ body }) => body.alerts[0].incidentId as string)
    assert.deepEqual([...alerts.keys()].sort(), committed.map(({ incidentId }) => incidentId).sort())
    for (const same of alerts.values()) assert.equal(new Set(same.map(({ body }) => body.id)).size, 1)
    t.diagnostic(
      `${KILLS} kills, ${committed.length} of each; sent again: ${smtp.mails.length - mails.size} mails, ` +
        `${service.received.length - alerts.size} alerts`,
    )
    await last.kill()
  })
})

const pendingAlerts = q.selectFrom('alerts').select('incident_id').where('due_at', 'is not', null).limit(1)

/** Commits an account mail and an alert at a time, each alert of an organization with a contact of its own. */
async function writeUntil(database: Database, url: string, until: AbortSignal) {
  const committed: { readonly address: string; readonly incidentId: string }[] = []
  for (let i = 1; !until.aborted; i += 1) {
    const [address, incidentId, now] = [`u${i}@example.com`, `inc_${i}`, Date.now()]
    const email = { to: address, id: newId('dlv', now), subject: subject`Your invitation`, text: 'x', html: 'x' }
    await database.write(function* () {
      const { id: orgId } = yield* createOrganization({ name: `Team ${i}`, plan: 'SELF_HOSTED' }, now)
      yield* insertContact({ orgId, name: 'Hook', channel: 'WEBHOOK', settings: { url } }, sealer, now)
      yield* alertContacts(newAlert(orgId, { incidentId }))
      yield* queueAccountMail(email, now + HOUR_MS, sealer, now)
    })
    committed.push({ address, incidentId })
    await delay(20)
  }
  return committed
}

/** Each is killed while messages have arrived that it knows no answer to. */
async function startAndKill(
  env: Readonly<Record<string, string>>,
  kills: number,
  hold: () => (() => void)[],
): Promise<void> {
  for (let i = 0; i < kills; i += 1) {
    await using victim = await startProcess(env)
    await delay(Math.random() * MAX_UPTIME_MS)
    const letGo = hold()
    await delay(HELD_MS)
    await victim.kill()
    for (const answer of letGo) answer()
  }
}
