import { setTimeout } from 'node:timers/promises'
import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { newSecret } from '../../notifications/webhooks/secret.ts'
import { cleanLine } from '../clean-text.ts'
import { type ClientCommand, CommandError } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { connect, connectionOptions } from './connect.ts'
import { forward, forwardOptions, type Receiver, readReceiver } from './forward-webhook.ts'
import { resolveName } from './resolve-names.ts'
import { untilEnded } from './until-ended.ts'

/** 30 requests a minute of the 120 that a key may make. */
const POLL_MS = 2000

/**
 * An address that never resolves (RFC 2606). The server tries it in vain, and records the deliveries, which are read and forwarded
 * from here. So neither side needs an address that the other can reach, and no event leaves the two.
 */
const UNREACHABLE_URL = 'https://pharos-webhooks-listen.invalid/'

export const listenCommand: ClientCommand = {
  name: 'webhooks listen',
  summary: 'Forward webhook events to a local address',
  options: {
    ...forwardOptions,
    endpoint: {
      value: 'ID',
      help: 'Forward the deliveries of this endpoint (default: a temporary one for all events)',
    },
    ...connectionOptions,
  },
  notes: () => [
    'Reads new deliveries every 2 seconds, and sends them signed to the local address until Ctrl+C. Without --endpoint it creates',
    'a temporary endpoint with an address that does not exist, and deletes it at the end.',
    'PHAROS_WEBHOOK_SECRET signs; without it, a secret that is printed.',
  ],
  examples: ['pharos webhooks listen --forward-to http://localhost:4000/hooks'],
  variables: [CONNECTION_NOTE],
  isGrouped: true,
  async call(environment, { options }) {
    const pharos = connect(environment, options.profile)
    const receiver = readReceiver(options, environment.PHAROS_WEBHOOK_SECRET)
    await untilEnded(async (signal) => {
      if (options.endpoint !== undefined) {
        const id = await resolveName(pharos, 'endpointId', options.endpoint)
        return listen(pharos, id, receiver(newSecret), signal)
      }
      const endpoint = await createTemporary(pharos)
      try {
        const shown = receiver(() => endpoint.secret)
        await listen(pharos, endpoint.id, shown, signal)
      } finally {
        await pharos.webhookEndpoints.delete(endpoint.id)
      }
    })
    return undefined
  },
}

async function createTemporary(pharos: Pharos) {
  const description = 'Temporary, of "pharos webhooks listen"'
  return pharos.webhookEndpoints.create({ url: UNREACHABLE_URL, description })
}

/** Deliveries that exist already are not forwarded. */
async function listen(pharos: Pharos, endpointId: string, receiver: Receiver, signal: AbortSignal): Promise<void> {
  const { data: existing } = await pharos.webhookDeliveries.list({ endpointId, limit: 100 }).page()
  const seen = new Set(existing.map(({ id }) => id))
  print(`Forwarding to ${receiver.url}, signed with ${receiver.signer}. Ctrl+C ends.`)
  while (!signal.aborted) {
    for (const [id, eventType] of await unseenOf(pharos, endpointId, seen)) {
      seen.add(id)
      const { headers, body } = await pharos.webhookDeliveries.getRequest(id)
      const { text } = await forward(receiver, headers['webhook-id'], body)
      print(`${new Date().toLocaleTimeString()}  ${eventType}  ${headers['webhook-id']}  ${text}`)
    }
    await setTimeout(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** The types of the deliveries that were not seen yet, by id, oldest first. Reads on while a whole page is new. */
async function unseenOf(pharos: Pharos, endpointId: string, seen: ReadonlySet<string>) {
  const found = new Map<string, string>()
  for await (const { data } of pharos.webhookDeliveries.list({ endpointId }).pages()) {
    const unseen = data.filter(({ id }) => !seen.has(id))
    for (const { id, eventType } of unseen) found.set(id, eventType)
    if (unseen.length < data.length) break
  }
  return [...found].toReversed()
}

function print(text: string): void {
  process.stdout.write(`${cleanLine(text)}\n`)
}

export const triggerCommand: ClientCommand = {
  name: 'webhooks trigger',
  summary: 'Send an example of an event to a local address',
  positionals: ['EVENT'],
  options: { ...forwardOptions, ...connectionOptions },
  notes: () => [
    'Sends the example of "pharos events list", signed with PHAROS_WEBHOOK_SECRET or a new secret that is printed.',
    '"pharos webhooks test" lets the server send a test event to an endpoint.',
  ],
  examples: ['pharos webhooks trigger incident.opened --forward-to http://localhost:4000/hooks'],
  variables: [CONNECTION_NOTE],
  isGrouped: true,
  async call(environment, { positionals: [type = ''], options }) {
    const receiver = readReceiver(options, environment.PHAROS_WEBHOOK_SECRET)(newSecret)
    const events = await connect(environment, options.profile).webhookEvents.list().toArray()
    const event = events.find((each) => each.type === type)
    if (event === undefined) throw new CommandError(`There is no event "${type}". Run "pharos events list" to see all`)
    const { id } = event.example as unknown as { id: string }
    const sent = await forward(receiver, id, JSON.stringify(event.example))
    const { url, secret, signer } = receiver
    const text = `Sent ${type} to ${url}, signed with ${signer}: ${sent.text}`
    const json = { type, url, ...(signer === secret && { secret }), result: sent.text }
    return { text, json, exitCode: sent.isOk ? 0 : 1 }
  },
}
