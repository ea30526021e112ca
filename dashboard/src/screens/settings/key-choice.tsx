import type { AppSchemas } from '../../api/client.ts'
import { timeAgo } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'

type Key = AppSchemas['Key']

/** "last used 3 h ago from 203.0.113.7" */
function describeUse({ lastUsedAt, lastUsedAddress }: Key, now: number): string {
  if (lastUsedAt === null) return t('never used')
  const from = lastUsedAddress === null ? '' : t(' from {lastUsedAddress}', { lastUsedAddress })
  return t('last used {lastUsedAt}{from}', { lastUsedAt: timeAgo(lastUsedAt, now), from })
}

interface KeyChoiceProps {
  readonly label: string
  readonly keys: readonly Key[]
  /** Ids of the keys that are not to be revoked. */
  readonly kept: readonly string[]
  readonly onKept: (ids: readonly string[]) => void
  /** What happens to a key that is not chosen. */
  readonly warning: string
}

/** The API keys of somebody who leaves, with a choice of those to revoke: all by default. */
export function KeyChoice({ label, keys, kept, onKept, warning }: KeyChoiceProps) {
  const now = useNow()
  return (
    <div class="space-y-2">
      <CheckboxList
        label={label}
        options={keys.map((one) => ({
          id: one.id,
          name: `${one.name} (…${one.hint})`,
          note: describeUse(one, now),
        }))}
        value={keys.map(({ id }) => id).filter((id) => !kept.includes(id))}
        onValue={(chosen) => onKept(keys.map(({ id }) => id).filter((id) => !chosen.includes(id)))}
        empty={t('No API keys')}
      />
      <p class="text-muted">
        {tx('Selected keys are revoked permanently. Anything that uses them stops working. {warning}', { warning })}
      </p>
    </div>
  )
}

/** The request field: `*` also covers a key that is created while the dialog is open. */
export function keysToRevoke(keys: readonly Key[], kept: readonly string[]): string[] {
  return kept.length === 0 ? ['*'] : keys.map(({ id }) => id).filter((id) => !kept.includes(id))
}
