import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The headers of Standard Webhooks. Each key gives a signature over the very bytes of the body; a receiver is content
 * with any one of them, so that it can change its secret at its leisure.
 */
export function signedHeaders(
  keys: readonly KeyObject[],
  eventId: string,
  timestampSeconds: number,
  body: string,
): Record<string, string> {
  const signed = `${eventId}.${timestampSeconds}.${body}`
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  return {
    'webhook-id': eventId,
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': signatures.join(' '),
  }
}
