import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Lab } from './lab.ts'

/** Receives the messages of a new contact inside the lab. */
export async function receiveAlerts({ address, client }: Lab) {
  const messages: string[] = []
  const receiver = createServer(async (request, response) => {
    messages.push(await text(request))
    response.end()
  }).listen(0, address)
  await once(receiver, 'listening')
  const settings = { url: `http://${address}:${(receiver.address() as AddressInfo).port}/` }
  const contact = await client.post('/contacts', { name: 'On call', channel: 'WEBHOOK', settings })
  return { messages, contact, close: () => receiver.close() }
}
