import { milliseconds } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { type Attempt, DeliveryLabel, detailOf } from './labels.tsx'

/** Attempts, latest first; the latest is expanded. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Section title={t('Attempts')}>
      {attempts.length === 0 && <p class="card p-4 text-muted">{t('No attempts yet.')}</p>}
      <ol class="space-y-2">
        {attempts.toReversed().map((attempt, i) => (
          <li key={attempt.id}>
            <details class="card" open={i === 0}>
              <summary class="touch flex cursor-pointer flex-wrap items-baseline gap-x-4 px-4 py-2.5">
                <span class="w-24 font-semibold">{tx('Attempt {number}', { number: attempt.number })}</span>
                <DeliveryLabel status={attempt.outcome} />
                <span class="grow">{detailOf(attempt)}</span>
                <span class="text-muted">
                  {milliseconds(attempt.durationMs)}
                  {attempt.trigger === 'MANUAL' && t(' · manual')}
                </span>
              </summary>
              <div class="space-y-2 border-t border-line p-4">
                <p class="text-muted">
                  {t('Started')} <AbsoluteTime at={attempt.startedAt} />
                  {attempt.responseStatus === null && t(', no response')}
                </p>
                {attempt.responseBody !== null && attempt.responseBody !== '' && (
                  <>
                    <p class="font-medium">{t('Response body')}</p>
                    <CodeBlock
                      text={attempt.responseBody}
                      label={t('Response to attempt {number}', { number: attempt.number })}
                    />
                  </>
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Section>
  )
}
