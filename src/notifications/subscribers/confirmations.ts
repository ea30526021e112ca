import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import type { Adapter } from '../deliveries/adapter.ts'
import { addDeliveries } from '../deliveries/queue.ts'
import { retryDelaysMs } from '../deliveries/retry-delays.ts'
import { mediumOf, messageTo } from './message-to.ts'
import { subscriberOf, unsubscribe, updateOf } from './queries.ts'
import type { MessageComposer, PendingSubscriber } from './types.ts'

/** Replaces an earlier message to the same subscriber that is not sent yet. */
export function* queueConfirmation(
  { orgId, id, kind, confirmBy }: Pick<PendingSubscriber, 'orgId' | 'id' | 'kind' | 'confirmBy'>,
  now: number,
): DbWork<void> {
  yield* addDeliveries([
    {
      id: `${id}.confirmation`,
      org_id: orgId,
      kind: 'CONFIRMATION',
      medium: mediumOf(kind),
      target_id: id,
      payload: '',
      due_at: now,
      expires_at: confirmBy,
      created_at: now,
    },
  ])
}

/** Idempotent. False if the subscriber no longer exists or was disabled. */
export function* confirm(orgId: string, id: string, now: number): DbWork<boolean> {
  const cleared = { confirm_by: null, rejections: 0, last_error: null, failing_since: null }
  const confirmed = updateOf(orgId, id).set({ state: 'CONFIRMED', confirmed_at: now, ...cleared })
  yield* execute(confirmed.where('state', '=', 'PENDING'))
  return (yield* subscriberOf(orgId, id))?.state === 'CONFIRMED'
}

export function confirmations(composer: MessageComposer, sealer: Sealer): Adapter {
  return {
    retryDelaysMs: retryDelaysMs.confirmation,
    *compose({ org_id: orgId, target_id: targetId }) {
      const row = yield* subscriberOf(orgId as string, targetId as string)
      if (row?.state !== 'PENDING' || row.confirm_by === null) return undefined
      const { id, page_id: pageId, kind, address, sealed_url: sealedUrl, confirm_by: confirmBy } = row
      const subscriber = { orgId: row.org_id, id, pageId, kind, address, sealedUrl, confirmBy }
      const content = yield* composer.confirmation(subscriber)
      if (content === undefined) return undefined
      return { messages: [{ message: messageTo(subscriber, content, sealer), targetId, recipient: undefined }] }
    },
    *settle({ org_id, target_id }, sent) {
      const [orgId, id] = [org_id as string, target_id as string]
      for (const { result, step } of sent) {
        if (!result.ok && (result.fault === 'rejected' || result.fault === 'gone')) yield* unsubscribe(orgId, id)
        else if (step.do !== 'wait') {
          yield* execute(updateOf(orgId, id).set({ last_error: result.ok ? null : result.error }))
        }
      }
    },
  }
}
