import { parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Email } from '../../outbound/email.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Adapter } from './adapter.ts'
import { addDeliveries } from './queue.ts'
import { retryDelaysMs } from './retry-delays.ts'

const contextOf = (id: string): string => `account mail ${id}`

/** Queues an e-mail with a link, in the transaction that creates the link. It is sealed, and not sent after the link has expired. */
export function* queueAccountMail(email: Email, expiresAt: number, sealer: Sealer, now: number): DbWork<void> {
  const { id } = email
  const payload = sealer.seal(JSON.stringify(email), contextOf(id))
  yield* addDeliveries([
    {
      id,
      org_id: null,
      kind: 'ACCOUNT_MAIL',
      medium: 'EMAIL',
      target_id: null,
      payload,
      due_at: now,
      expires_at: expiresAt,
      created_at: now,
    },
  ])
}

export function accountMails(sealer: Sealer): Adapter {
  return {
    retryDelaysMs: retryDelaysMs.accountMail,
    // biome-ignore lint/correctness/useYield: reads nothing
    *compose({ id, payload }) {
      const email = parseStored(sealer.open(payload, contextOf(id))) as Email
      return { messages: [{ message: { email }, targetId: null, recipient: undefined }] }
    },
  }
}
