import { t } from '../../lib/i18n.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { type Affected, ConditionLabel, type Impact, ImpactLabel, type Status, StatusLabel } from './labels.tsx'

interface Props {
  readonly title: string
  readonly status: Status
  readonly impact: Impact
  readonly message: string
  readonly affected: readonly Affected[]
  readonly nameOf: (monitorId: string) => string
}

/** Preview of an incident next to its form. */
export function Draft({ title, status, impact, message, affected, nameOf }: Props) {
  return (
    <section aria-label={t('Preview')} class="lg:sticky lg:top-6">
      <h2 class="mb-2 text-base font-semibold">{t('Preview')}</h2>
      <div class="card border-s-4 border-s-degraded p-4">
        <p class="text-base font-semibold">
          {title === '' ? <span class="text-muted">{t('No title yet')}</span> : title}
        </p>
        <p class="mt-1 flex flex-wrap gap-x-4">
          <StatusLabel status={status} />
          <ImpactLabel impact={impact} />
        </p>
        <div class="mt-3">
          {message.trim() === '' ? <p class="text-muted">{t('No message yet')}</p> : <Markdown text={message} />}
        </div>
        {affected.length > 0 && (
          <ul class="mt-3 space-y-1 border-t border-line pt-3">
            {affected.map((one) => (
              <li key={one.monitorId} class="flex flex-wrap justify-between gap-x-3">
                <span>{nameOf(one.monitorId)}</span>
                <ConditionLabel status={status === 'RESOLVED' ? 'OPERATIONAL' : one.status} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <p class="mt-2 text-xs text-muted">{t('The status page uses its own colors and language.')}</p>
    </section>
  )
}
