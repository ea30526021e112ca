import { keepPreviousData } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useDelayed } from '../../lib/use-delayed.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { LabelledShape, type State } from '../../ui/state.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { StatusPage } from './overall-status.tsx'

type Subscriber = PublicSchemas['Subscriber']
type List = PublicSchemas['SubscriberList']
type Kind = Subscriber['kind']

const PER_PAGE = 50
/** After the last key, before the server is asked. */
const TYPING_MS = 250

const kindNames: Readonly<Record<Kind, string>> = { EMAIL: t('E-mail'), SLACK: t('Slack'), WEBHOOK: t('Webhook') }
const kinds = ['EMAIL', 'SLACK', 'WEBHOOK'] as const

const kindChoices = choicesOf({ ALL: t('All'), ...kindNames })
const stateChoices = choicesOf({ ALL: t('All'), CONFIRMED: t('Confirmed'), PENDING: t('Pending') })

interface Filters {
  readonly text: string
  readonly kind: Kind | 'ALL'
  readonly state: 'ALL' | 'CONFIRMED' | 'PENDING'
  readonly offset: number
}

const everything: Filters = { text: '', kind: 'ALL', state: 'ALL', offset: 0 }

/** Who gets the updates of a page, with counts, search and removal. */
export function Subscribers({ page }: { page: StatusPage }) {
  const [filters, setFilters] = useState(everything)
  const text = useDelayed(filters.text.trim(), TYPING_MS)
  const { kind, state, offset } = filters
  const query = {
    limit: PER_PAGE,
    offset,
    ...(text !== '' && { q: text }),
    ...(kind !== 'ALL' && { kind }),
    ...(state !== 'ALL' && { state }),
  }
  const list = useGet(['subscriber', page.id], '/api/v1/status-pages/{statusPageId}/subscribers', {
    path: { statusPageId: page.id },
    query,
    placeholderData: keepPreviousData,
  })
  const change = (changes: Partial<Filters>) => setFilters({ ...filters, offset: 0, ...changes })
  return (
    <section class="mt-6" aria-labelledby="subscribers">
      <h2 id="subscribers" class="mb-3 text-base font-semibold">
        {t('Subscribers')}
      </h2>
      <QueryResult query={list} lines={3}>
        {(data) =>
          data.counts.length === 0 ? (
            <NoSubscribers page={page} />
          ) : (
            <>
              <Counts counts={data.counts} />
              {!page.subscribersEnabled && (
                <p class="mb-3 text-muted">{t('Subscriptions are off: these subscribers get no messages.')}</p>
              )}
              <div class="card">
                <div class="flex flex-wrap items-center gap-2 border-b border-line p-3">
                  <div class="-m-2 me-0 grow basis-60">
                    <Filter
                      label={t('Search subscribers')}
                      placeholder={t('Search subscribers')}
                      value={filters.text}
                      onValue={(value) => change({ text: value })}
                    />
                  </div>
                  <SegmentedControl
                    label={t('Kind')}
                    value={kind}
                    choices={kindChoices}
                    onValue={(value) => change({ kind: value })}
                  />
                  <SegmentedControl
                    label={t('State')}
                    value={state}
                    choices={stateChoices}
                    onValue={(value) => change({ state: value })}
                  />
                </div>
                <Rows page={page} list={data} onReset={() => setFilters(everything)} />
              </div>
              <Pager {...data.pagination} onOffset={(next) => change({ offset: next })} />
            </>
          )
        }
      </QueryResult>
    </section>
  )
}

function NoSubscribers({ page }: { page: StatusPage }) {
  return (
    <div class="card px-6 py-8 text-center">
      <p class="font-semibold">{page.subscribersEnabled ? t('No subscribers yet') : t('Subscriptions are off')}</p>
      <p class="mx-auto mt-1 max-w-prose text-muted">
        {page.subscribersEnabled
          ? t(
              'Visitors subscribe with the button at the top of the public page, by e-mail, Slack or webhook. E-mail requires a mail server (PHAROS_SMTP_URL).',
            )
          : t(
              'Turn on “Subscriptions” under Access and save. Visitors can then get incidents and maintenance by e-mail, Slack or webhook.',
            )}
      </p>
    </div>
  )
}

function Counts({ counts }: { counts: List['counts'] }) {
  const of = (kind: Kind, state: Subscriber['state']): number =>
    counts.find((count) => count.kind === kind && count.state === state)?.total ?? 0
  return (
    <dl class="mb-3 grid gap-3 sm:grid-cols-3">
      {kinds.map((kind) => {
        const [pending, disabled] = [of(kind, 'PENDING'), of(kind, 'DISABLED')]
        const others = [
          ...(pending > 0 ? [t('{pending} pending', { pending: number(pending) })] : []),
          ...(disabled > 0 ? [t('{disabled} disabled', { disabled: number(disabled) })] : []),
        ]
        return (
          <div key={kind} class="card px-4 py-3">
            <dt class="text-muted">{kindNames[kind]}</dt>
            <dd>
              <span class="whitespace-nowrap">
                {tx('{name} confirmed', {
                  name: <strong class="text-base">{number(of(kind, 'CONFIRMED'))}</strong>,
                })}
              </span>
              {others.map((other) => (
                <span key={other} class="text-muted">
                  {' '}
                  · <span class="whitespace-nowrap">{other}</span>
                </span>
              ))}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

interface RowsProps {
  readonly page: StatusPage
  readonly list: List
  readonly onReset: () => void
}

function Rows({ page, list: { data, pagination }, onReset }: RowsProps) {
  const { may } = useOrganization()
  if (data.length === 0) {
    return (
      <div class="px-4 py-8 text-center">
        <p class="mb-3 text-muted">{pagination.total === 0 ? t('No matches') : t('No more subscribers')}</p>
        <Button onClick={onReset}>{t('Show all')}</Button>
      </div>
    )
  }
  return (
    <>
      <p class="sr-only" role="status">
        {plural(pagination.total, 'match', 'matches')}
      </p>
      <ul class="divide-y divide-line">
        {data.map((subscriber) => (
          <li key={subscriber.id} class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <div class="min-w-0 grow basis-56">
              <p class="font-medium break-all">{subscriber.address}</p>
              <p class="text-muted">
                {kindNames[subscriber.kind]} · {subscriber.confirmedAt === null ? t('signed up') : t('subscribed')}{' '}
                <RelativeTime at={subscriber.confirmedAt ?? subscriber.createdAt} />
              </p>
              {subscriber.lastError !== null && <p class="text-muted break-words">{subscriber.lastError}</p>}
            </div>
            <div class="ms-auto flex items-center gap-4">
              <LabelledShape {...lookOf(subscriber)} />
              {may('MEMBER') && <RemoveSubscriber page={page} subscriber={subscriber} />}
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function lookOf({ state, failingSince }: Subscriber): { look: State; word: string } {
  if (state === 'PENDING') return { look: 'PENDING', word: t('Pending') }
  if (state === 'DISABLED') return { look: 'DOWN', word: t('Disabled') }
  return failingSince === null ? { look: 'UP', word: t('Confirmed') } : { look: 'DEGRADED', word: t('Failing') }
}

function RemoveSubscriber({ page, subscriber: { id, address } }: { page: StatusPage; subscriber: Subscriber }) {
  const { api, refresh } = useOrganization()
  const remove = async () => {
    const path = { statusPageId: page.id, subscriberId: id }
    await api.DELETE('/api/v1/status-pages/{statusPageId}/subscribers/{subscriberId}', { path })
    showToast(t('Subscriber removed'))
    await refresh('subscriber')
  }
  return (
    <ConfirmButton
      label={t('Remove')}
      name={t('Remove {address}', { address })}
      title={t('Remove {address}?', { address })}
      action={t('Remove')}
      onConfirm={remove}
    >
      <p>
        {tx('No more updates of {name} are sent to this address. It is not notified and can subscribe again.', {
          name: page.name,
        })}
      </p>
    </ConfirmButton>
  )
}
