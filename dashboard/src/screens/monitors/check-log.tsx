import type { UseQueryResult } from '@tanstack/preact-query'
import type { AppSchemas } from '../../api/client.ts'
import { exactTime, milliseconds } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { StateLabel } from '../../ui/state.tsx'

interface CheckLogProps {
  readonly results: UseQueryResult<AppSchemas['ResultList'], unknown>
  /** Whether the duration of a check says something about the target. */
  readonly hasDuration: boolean
}

/** Latest checks with their errors. */
export function CheckLog({ results, hasDuration }: CheckLogProps) {
  return (
    <Section title={t('Check log')} lead={t('Latest checks, newest first')}>
      <QueryResult query={results}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="card px-4 py-8 text-center text-muted">{t('No checks yet.')}</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
            <ol class="card max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={t('Checks')}>
              {data.map(({ at, state, responseMs, error }, i) => (
                <li key={`${at} ${i}`} class="grid grid-cols-[6rem_1fr_auto] items-baseline gap-x-3 px-4 py-2">
                  <StateLabel state={state} />
                  <time dateTime={at} class="text-muted">
                    {exactTime(at)}
                  </time>
                  <span class="text-end">{hasDuration && milliseconds(responseMs)}</span>
                  {error !== null && <p class="col-span-3 text-down-text sm:col-span-2 sm:col-start-2">{error}</p>}
                </li>
              ))}
            </ol>
          )
        }
      </QueryResult>
    </Section>
  )
}
