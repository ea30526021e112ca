import { SECOND_MS } from '../../lib/clock.ts'
import { signingKey } from '../../notifications/webhooks/secret.ts'
import { signedHeaders } from '../../notifications/webhooks/sign.ts'
import { type Arguments, CommandError, type Option, UsageError } from '../command.ts'
import { version } from '../version.ts'

const TIMEOUT_MS = 15_000

export const forwardOptions: Readonly<Record<string, Option>> = {
  'forward-to': { value: 'URL', required: true, help: 'Where to send the events, such as http://localhost:4000/hooks' },
  'show-secret': { help: 'Print the secret that signs, also if it is that of PHAROS_WEBHOOK_SECRET' },
}

export interface Receiver {
  readonly url: string
  readonly secret: string
  /** What people read about the secret: itself if they do not have it, otherwise the name of its variable. */
  readonly signer: string
}

/** The receiver at --forward-to. Without a secret in the environment, it gets one from `createSecret`, which is shown. */
export function readReceiver(
  { 'forward-to': url = '', 'show-secret': shows }: Arguments['options'],
  given = '',
): (createSecret: () => string) => Receiver {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new UsageError('--forward-to must be an address')
  const secret = given.trim()
  if (secret === '') {
    return (createSecret) => {
      const created = createSecret()
      return { url, secret: created, signer: created }
    }
  }
  if (!/^whsec_[\w+/]+=*$/.test(secret)) throw new CommandError('PHAROS_WEBHOOK_SECRET is not a secret of a webhook')
  return () => ({ url, secret, signer: shows === undefined ? 'PHAROS_WEBHOOK_SECRET' : secret })
}

/** Sends an event as the server would: the same headers, a signature of now, no redirects. Returns what became of it. */
export async function forward(
  { url, secret }: Receiver,
  eventId: string,
  body: string,
): Promise<{ text: string; isOk: boolean }> {
  const signed = signedHeaders([signingKey(secret)], eventId, Math.floor(Date.now() / SECOND_MS), body)
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': `pharos-cli/${version()}` }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return { text: `HTTP ${response.status}`, isOk: response.ok }
  } catch (error) {
    const { message, cause } = error as Error
    return { text: (cause as Error | undefined)?.message || message, isOk: false }
  }
}
