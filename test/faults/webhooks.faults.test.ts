import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { Load } from './load.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { faultRow } from './row.ts'

const KILLS = 8
/** A slow machine makes fewer. */
const KILL_MS = 60_000
const WRITERS = 6
const ENDPOINTS = 2
/** Requests of an endpoint that are under way in the moment of a kill: sent, but not recorded. */
const REPEATED_PER_KILL = 16

faultRow('nodes are killed while they send webhooks', { needs: ['postgres'] }, async (row, site) => {
  const postgres = await PostgresServer.start(site)
  const databaseUrl = postgres.url()
  const env = { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' }
  const nodes = [await PharosNode.start(site, { databaseUrl, env }), await PharosNode.start(site, { databaseUrl, env })]
  await using first = await startReceiver()
  await using second = await startReceiver()
  const receivers = [first, second]
  for (const { url } of receivers) {
    const { status, body } = await (nodes[0] as PharosNode).client.post('/webhook-endpoints', { url })
    if (status !== 201) throw new Error(`POST /webhook-endpoints answered ${status}: ${JSON.stringify(body)}`)
  }
  const load = new Load(nodes, WRITERS)
  const enoughAt = performance.now() + KILL_MS
  let kills = 0
  while (kills < KILLS && performance.now() < enoughAt) {
    const node = nodes[kills % nodes.length] as PharosNode
    await delay(1_500)
    await node.kill()
    await node.start()
    kills += 1
  }
  const acknowledged = await load.verify()
  const events = (await postgres.query('select id from events')).map(({ id }) => String(id))
  await eventually(async () => {
    if (lostOf(receivers, events) > 0) throw new Error('Deliveries are missing.')
  }).catch(() => undefined)
  row.atLeast(`deliveries of ${acknowledged} changes during ${kills} kills`, countOf(receivers), 200)
  row.atMost('lost', lostOf(receivers, events), 0)
  const repeated = countOf(receivers) - ENDPOINTS * events.length
  row.atMost('repeated', repeated, kills * REPEATED_PER_KILL)
})

function countOf(receivers: readonly Receiver[]): number {
  return receivers.reduce((sum, { messages }) => sum + messages.length, 0)
}

/** Events that an endpoint has not received. */
function lostOf(receivers: readonly Receiver[], events: readonly string[]): number {
  return receivers.reduce((sum, { messages }) => {
    const received = new Set(messages.map(({ event }) => event.id))
    return sum + events.filter((id) => !received.has(id)).length
  }, 0)
}
