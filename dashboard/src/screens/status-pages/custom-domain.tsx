import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayOf } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import { LabelledShape, type State } from '../../ui/state.tsx'
import { AbsoluteTime, RelativeTime } from '../../ui/time.tsx'
import type { StatusPage } from './overall-status.tsx'

type Domain = PublicSchemas['StatusPageDomain']

interface Props {
  readonly page: StatusPage
  /** Whether the field shows the saved domain. */
  readonly isSaved: boolean
}

/** The DNS records that a custom domain needs, and whether they were found. */
export function CustomDomain({ page, isSaved }: Props) {
  const { api, key, may, refresh } = useOrganization()
  const queries = useQueryClient()
  const [checked, setChecked] = useState<Domain | null>(null)
  const doing = useRunningAction()
  const queryKey = key('status_page', page.id, 'domain', page.customDomain)
  const path = { statusPageId: page.id }
  const stored = useQuery({
    queryKey,
    queryFn: () => api.GET('/api/v1/status-pages/{statusPageId}/domain', { path }),
  })
  const check = async () => {
    const found = await api.POST('/api/v1/status-pages/{statusPageId}/domain/check', { path })
    setChecked(found)
    queries.setQueryData(queryKey, found)
    // The address of the page depends on the state of its domain.
    await refresh('status_page')
  }
  const domain = stored.data
  if (domain === undefined) return stored.isError ? <ErrorNotice problem={stored.error} /> : null
  if (domain.domain === null) return isSaved && domain.lost !== null ? <LostDomain lost={domain.lost} /> : null
  if (!isSaved) return <p class="text-muted">{t('Save to see the DNS records that the domain needs.')}</p>
  const fresh = checked?.domain === domain.domain ? checked : null
  return (
    <section
      class="space-y-3 rounded-md bg-ground p-3"
      aria-label={t('Custom domain {domain}', { domain: domain.domain })}
    >
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Label domain={domain} dns={fresh?.dns ?? null} />
        {may('MEMBER') && domain.state !== 'RESERVED' && (
          <Button busy={doing.busy !== null} onClick={() => void doing.run('check', check)}>
            {t('Check now')}
          </Button>
        )}
      </div>
      <div role="status" class="space-y-1">
        <Explanation domain={domain} />
        <LastCheck domain={domain} />
        {fresh?.dns && <p>{fresh.dns.message}</p>}
      </div>
      <ErrorNotice problem={doing.problem} />
      <DomainRecords records={fresh?.records ?? domain.records} />
    </section>
  )
}

const labels: Readonly<Record<Domain['state'], { look: State; word: string }>> = {
  NONE: { look: 'PENDING', word: t('No domain') },
  NOT_REQUIRED: { look: 'PENDING', word: t('Not checked yet') },
  WAITING: { look: 'PENDING', word: t('Waiting for DNS record') },
  VERIFIED: { look: 'UP', word: t('Verified') },
  FAILING: { look: 'DEGRADED', word: t('DNS record missing') },
  UNPROVEN: { look: 'DOWN', word: t('Not served: DNS record missing') },
  RESERVED: { look: 'DOWN', word: t('Not served') },
}

function Label({ domain: { state }, dns }: { domain: Domain; dns: Domain['dns'] }) {
  if (state === 'VERIFIED' && dns?.pointsHere === false)
    return <LabelledShape look="DEGRADED" word={t('Verified, but does not point here')} />
  if (state !== 'NOT_REQUIRED' || dns === null) return <LabelledShape {...labels[state]} />
  const word = dns.pointsHere ? t('Points here') : t('Does not point here')
  return <LabelledShape look={dns.pointsHere ? 'UP' : 'DOWN'} word={word} />
}

function Explanation({
  domain: { domain, state, verifiedAt, failingSince, servedUntil, expiresAt },
}: {
  domain: Domain
}) {
  switch (state) {
    case 'NONE':
      return null
    case 'NOT_REQUIRED':
      return <p>{tx('The page is served on {domain} as soon as its DNS record points here.', { domain })}</p>
    case 'RESERVED':
      return <p>{tx('{domain} belongs to this installation. Enter your own domain.', { domain })}</p>
    case 'WAITING':
      return (
        <p>
          {tx('The page is not served on {domain} yet. Add the DNS records below to verify that you own the domain.', {
            domain,
          })}
          {expiresAt !== null && (
            <>
              {' '}
              {tx('The domain is released {time} if it isn’t verified by then.', {
                time: <RelativeTime at={expiresAt} upcoming />,
              })}
            </>
          )}
        </p>
      )
    case 'VERIFIED':
      return (
        <p>
          {t('Verified since')} {verifiedAt !== null && <AbsoluteTime at={verifiedAt} />}
          {t('. Keep the record; we check it regularly.')}
        </p>
      )
    case 'FAILING':
      return (
        <p>
          {t('The DNS record has been missing since')} {failingSince !== null && <AbsoluteTime at={failingSince} />}
          {tx('. Add it again: the page stops being served on {domain} {time}.', {
            domain,
            time: <RelativeTime at={servedUntil} upcoming />,
          })}
        </p>
      )
    case 'UNPROVEN':
      return (
        <p>
          {t('The DNS record has been missing since')} {failingSince !== null && <AbsoluteTime at={failingSince} />}
          {tx('. Add it again: the domain is released {time}.', { time: <RelativeTime at={expiresAt} upcoming /> })}
        </p>
      )
  }
}

function LastCheck({ domain: { state, checkedAt, checkError, found } }: { domain: Domain }) {
  const isProofNeeded = state === 'WAITING' || state === 'VERIFIED' || state === 'FAILING' || state === 'UNPROVEN'
  if (!isProofNeeded) return null
  return (
    <>
      <p class="text-muted">
        {tx('Last checked: {time}', { time: <RelativeTime at={checkedAt} /> })}
        {state !== 'VERIFIED' && checkedAt !== null && (
          <>
            {' '}
            {t('· found:')} {found.length === 0 ? t('no records') : <code class="break-all">{found.join(', ')}</code>}
          </>
        )}
      </p>
      {checkError !== null && (
        <p class="text-muted">{tx('The last check failed: {checkError}. We’ll try again.', { checkError })}</p>
      )}
    </>
  )
}

function LostDomain({ lost: { domain, reason, at } }: { lost: NonNullable<Domain['lost']> }) {
  return (
    <InfoNotice>
      {reason === 'EXPIRED'
        ? tx('{domain} was released on {at} because it wasn’t verified. Enter it again to get more time.', {
            domain,
            at: dayOf(at),
          })
        : tx('{domain} moved to another status page on {at}, which has the verifying DNS record.', {
            domain,
            at: dayOf(at),
          })}
    </InfoNotice>
  )
}

type DomainRecord = PublicSchemas['StatusPageDomain']['records'][number]

const purposes: Readonly<Record<DomainRecord['purpose'], string>> = {
  ADDRESS: t('Points the domain here'),
  PROOF: t('Verifies that you own the domain'),
  ADDRESS_AND_PROOF: t('Instead of both: one record that points here and verifies the domain'),
}

/** DNS records to copy into the settings of a domain. */
function DomainRecords({ records }: { records: readonly DomainRecord[] }) {
  if (records.length === 0) return null
  return (
    <ul class="space-y-3" aria-label={t('DNS records')}>
      {records.map(({ purpose, type, name, value }) => (
        <li key={purpose} class="rounded-md border border-line bg-surface p-3">
          <p class="font-medium">{purposes[purpose]}</p>
          <dl class="mt-1 grid grid-cols-[auto_1fr_auto] items-center gap-x-3">
            <dt class="text-muted">{t('Type')}</dt>
            <dd class="col-span-2">{type}</dd>
            <Field label={t('Name')} text={name} />
            <Field label={t('Value')} text={value} />
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Field({ label, text }: { label: string; text: string }) {
  return (
    <>
      <dt class="text-muted">{label}</dt>
      <dd class="min-w-0 break-all">
        <code>{text}</code>
      </dd>
      <dd>
        <CopyButton text={text} label={t('Copy {text}', { text })} />
      </dd>
    </>
  )
}
