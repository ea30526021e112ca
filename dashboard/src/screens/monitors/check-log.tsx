import { useInfiniteQuery } from '@tanstack/preact-query'
import { useId } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { nextOffset } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { exactTime, milliseconds } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { useSearchState } from '../../lib/search.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Select } from '../../ui/select.tsx'
import { ShowOlder } from '../../ui/show-older.tsx'
import { StateLabel } from '../../ui/state.tsx'

type Check = PublicSchemas['Check']

const states = ['UP', 'DEGRADED', 'DOWN', 'INCONCLUSIVE'] as const
const PAGE = 50

interface CheckLogProps {
  readonly monitorId: string
  /** Whether the duration of a check says something about the target. */
  readonly hasDuration: boolean
}

/** Stored checks with the reasons of failures; the filter is in the URL. */
export function CheckLog({ monitorId, hasDuration }: CheckLogProps) {
  const { api, key } = useOrganization()
  const [search, change] = useSearchState()
  const state = states.find((one) => one === search.get('checks'))
  const checks = useInfiniteQuery({
    queryKey: key('monitor', monitorId, 'checks', state ?? 'all'),
    queryFn: ({ pageParam: offset }: { pageParam: number }) => {
      const query = { limit: PAGE, offset, ...(state && { state }) }
      return api.GET('/api/v1/monitors/{monitorId}/checks', { path: { monitorId }, query })
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  })
  return (
    <Section
      title={t('Check log')}
      lead={t('Newest first')}
      actions={<StateFilter value={state} onValue={(chosen) => change({ checks: chosen })} />}
    >
      <QueryResult query={checks}>
        {({ pages }) => <Checks checks={checksOf(pages)} isFiltered={state !== undefined} hasDuration={hasDuration} />}
      </QueryResult>
      <ShowOlder query={checks} />
    </Section>
  )
}

/** Pages that were read at different times overlap by the checks that were made between. */
function checksOf(pages: readonly PublicSchemas['CheckPage'][]): readonly Check[] {
  const all = pages.flatMap(({ data }) => data)
  return [...new Map(all.map((check) => [`${check.at} ${check.state}`, check])).values()]
}

interface StateFilterProps {
  readonly value: Check['state'] | undefined
  readonly onValue: (state: string | null) => void
}

function StateFilter({ value, onValue }: StateFilterProps) {
  const id = useId()
  return (
    <div class="flex items-center gap-2">
      <label for={id} class="text-muted">
        {t('Result')}
      </label>
      <Select
        id={id}
        value={value ?? ''}
        onValue={onValue}
        choices={[
          { value: '', label: t('All') },
          ...states.map((state) => ({ value: state, label: stateLabels[state] })),
        ]}
      />
    </div>
  )
}

interface ChecksProps {
  readonly checks: readonly Check[]
  readonly isFiltered: boolean
  readonly hasDuration: boolean
}

function Checks({ checks, isFiltered, hasDuration }: ChecksProps) {
  if (checks.length === 0) {
    return (
      <p class="card px-4 py-8 text-center text-muted">{isFiltered ? t('No such checks.') : t('No checks yet.')}</p>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <ol class="card max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={t('Checks')}>
      {checks.map((check) => (
        <li key={`${check.at} ${check.state}`} class="grid grid-cols-[8rem_1fr_auto] items-baseline gap-x-3 px-4 py-2">
          <StateLabel state={check.state} />
          <time dateTime={check.at} class="text-muted">
            {exactTime(check.at)}
          </time>
          <span class="text-end">{hasDuration && milliseconds(check.responseMs)}</span>
          {check.error !== null && (
            <p
              class={`col-span-3 wrap-anywhere sm:col-span-2 sm:col-start-2 ${check.state === 'DOWN' ? 'text-down-text' : 'text-muted'}`}
            >
              {sentenceOf(check, 'error')}
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
