import { setTimeout as delay } from 'node:timers/promises'
import { faultRow } from './row.ts'
import { receiveAlerts } from './self-doubt/alert-receiver.ts'
import { Lab, PUBLIC } from './self-doubt/lab.ts'

const MONITORS = 20
const INTERVAL_SECONDS = 30
/** All monitors are checked within an interval, and the message follows half a minute after the first. */
const CUT_LIMIT_MS = 100_000
const RECOVERY_LIMIT_S = 12

faultRow('the network of the node fails for a minute', { needs: ['network', 'mount'] }, async (row, site) => {
  const lab = await Lab.create(site)
  const { client } = lab
  const { messages, contact, close } = await receiveAlerts(lab)
  row.holds('contact created', contact.status === 201, JSON.stringify(contact.body))
  const ids: string[] = []
  for (let i = 1; i <= MONITORS; i += 1) {
    const monitor = { type: 'PORT', name: `Target ${i}`, host: `${PUBLIC}.1.${i}`, port: 80 }
    const timing = { intervalSeconds: INTERVAL_SECONDS, timeoutSeconds: 2 }
    ids.push((await client.post('/monitors', { ...monitor, ...timing })).body.id)
  }
  const lastChecks = async () => {
    const { body } = await client.get('/monitors?limit=100')
    return (body.data as { lastCheckedAt: string | null }[]).map(({ lastCheckedAt }) => Date.parse(lastCheckedAt ?? ''))
  }
  while ((await lastChecks()).some(Number.isNaN)) await delay(200)

  await lab.lose(`${PUBLIC}.0.0/17`)
  const cutAt = performance.now()
  while (messages.length === 0 && performance.now() < cutAt + CUT_LIMIT_MS) await delay(200)
  // Other monitors would have sent theirs by now.
  await delay(5_000)
  row.atMost('messages', messages.length, 1)
  const expected = /Pharos cannot reach any of \d+ targets since \d\d:\d\d UTC\. Its own network is probably down\./
  row.holds('the message says that the network is down', expected.test(messages[0] ?? ''), messages[0])
  await row.noIncidents(client)

  const healedAt = Date.now()
  await lab.find(`${PUBLIC}.0.0/17`)
  const giveUpAt = healedAt + 3 * INTERVAL_SECONDS * 1_000
  while ((await lastChecks()).some((at) => at < healedAt) && Date.now() < giveUpAt) await delay(100)
  row.withinSeconds('all checked again after', Date.now() - healedAt, RECOVERY_LIMIT_S)
  await row.noIncidents(client, 'false incidents at the end')
  close()
})
