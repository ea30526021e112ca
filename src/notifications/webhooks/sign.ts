import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The headers of Standard Webhooks, with one signature per key. A receiver accepts any one of them, so it can switch to
 * a new secret at any time while both sign.
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
