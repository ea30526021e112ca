import { milliseconds } from '../../lib/format.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { type Attempt, DeliveryLabel, outcomeOf } from './labels.tsx'

/** Attempts, latest first; the latest is expanded. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Section title="Attempts">
      {attempts.length === 0 && <p class="card p-4 text-muted">No attempts yet.</p>}
      <ol class="space-y-2">
        {attempts.toReversed().map((attempt, i) => (
          <li key={attempt.id}>
            <details class="card" open={i === 0}>
              <summary class="touch flex cursor-pointer flex-wrap items-baseline gap-x-4 px-4 py-2.5">
                <span class="w-24 font-semibold">Attempt {attempt.number}</span>
                <DeliveryLabel status={attempt.outcome} />
                <span class="grow">{outcomeOf(attempt)}</span>
                <span class="text-muted">
                  {milliseconds(attempt.durationMs)}
                  {attempt.trigger === 'MANUAL' && ' · manual'}
                </span>
              </summary>
              <div class="space-y-2 border-t border-line p-4">
                <p class="text-muted">
                  Started <AbsoluteTime at={attempt.startedAt} />
                  {attempt.responseStatus === null
                    ? ', no response'
                    : `, HTTP ${attempt.responseStatus} after ${milliseconds(attempt.durationMs)}`}
                </p>
                {attempt.responseBody !== null && attempt.responseBody !== '' && (
                  <CodeBlock text={attempt.responseBody} label={`Response to attempt ${attempt.number}`} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Section>
  )
}
