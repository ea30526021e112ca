import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'
import type { Client, Mutation } from './client.ts'

/** A monitor after its last acknowledged change. Deleted ones stay, so that their absence is checked. */
interface AcknowledgedMonitor {
  readonly creationKey: string
  readonly id: string
  /** The last response body. */
  text: string
  deleted: boolean
}

/** What the server acknowledged: every monitor, and every mutation with its response. */
export interface Ledger {
  readonly monitors: AcknowledgedMonitor[]
  readonly answered: { readonly mutation: Mutation; readonly text: string }[]
}

/** Creates, changes, pauses, resumes and deletes its own monitors until the signal; every mutation has its own key. */
export async function writeUntil(name: string, client: Client, random: Dice, until: AbortSignal): Promise<Ledger> {
  const ledger: Ledger = { monitors: [], answered: [] }
  for (let turn = 0; !until.aborted; turn += 1) {
    const idempotencyKey = `${name}-${turn}`
    const alive = ledger.monitors.filter((monitor) => !monitor.deleted)
    const choice = random.roll()
    if (alive.length === 0 || choice < 0.35) await create(idempotencyKey)
    else await change(random.pick(alive), choice, idempotencyKey)
    // Pauses sometimes, so that kills also hit an idle server.
    if (random.chance(0.02)) await delay(random.between(1, 40))
  }
  return ledger

  async function create(idempotencyKey: string): Promise<void> {
    const type = random.chance(0.5) ? { type: 'CRON' } : { type: 'HTTP', url: 'http://127.0.0.1:9/' }
    // `requestBody` names the creation and never changes.
    const body = { ...type, name: `${idempotencyKey} as created`, requestBody: idempotencyKey }
    const { text } = await perform({ method: 'POST', path: '/monitors', body, idempotencyKey })
    ledger.monitors.push({ creationKey: idempotencyKey, id: JSON.parse(text).id, text, deleted: false })
  }

  async function change(monitor: AcknowledgedMonitor, choice: number, idempotencyKey: string): Promise<void> {
    const path = `/monitors/${monitor.id}`
    if (choice > 0.85) {
      await perform({ method: 'DELETE', path, idempotencyKey })
      monitor.deleted = true
    } else if (choice > 0.65) {
      const body = { name: `${idempotencyKey} as changed`, intervalSeconds: random.between(30, 86_400) }
      monitor.text = (await perform({ method: 'PATCH', path, body, idempotencyKey })).text
    } else {
      const verb = random.chance(0.5) ? 'pause' : 'resume'
      monitor.text = (await perform({ method: 'POST', path: `${path}/${verb}`, body: {}, idempotencyKey })).text
    }
  }

  async function perform(mutation: Mutation) {
    const answer = await client.mutate(mutation)
    ledger.answered.push({ mutation, text: answer.text })
    return answer
  }
}
