import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayOf } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import { ErrorNotice, InfoNotice } from '../../ui/notice.tsx'
import type { State } from '../../ui/state.tsx'
import { AbsoluteTime, RelativeTime } from '../../ui/time.tsx'
import { DomainRecords } from './domain-records.tsx'
import type { StatusPage } from './overall-status.tsx'

type Domain = AppSchemas['StatusPageDomain']

interface Props {
  readonly page: StatusPage
  /** Whether the field shows the saved domain. */
  readonly isSaved: boolean
}

/** The DNS records that a custom domain needs, and whether they were found. */
export function CustomDomain({ page, isSaved }: Props) {
  const { app, key, may, refresh } = useOrganization()
  const queries = useQueryClient()
  const [checked, setChecked] = useState<Domain | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const queryKey = key('status_page', page.id, 'domain', page.customDomain)
  const params = { path: { statusPageId: page.id } }
  const stored = useQuery({
    queryKey,
    queryFn: () => unwrap(app.GET('/app/api/status-pages/{statusPageId}/domain', { params })),
  })
  const check = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const found = await unwrap(app.POST('/app/api/status-pages/{statusPageId}/domain/check', { params }))
      setChecked(found)
      queries.setQueryData(queryKey, found)
      // The address of the page depends on the state of its domain.
      await refresh('status_page')
    } catch (thrown) {
      setProblem(thrown)
    } finally {
      setBusy(false)
    }
  }
  const domain = stored.data
  if (domain === undefined) return stored.isError ? <ErrorNotice problem={stored.error} /> : null
  if (domain.domain === null) return isSaved && domain.lost !== null ? <LostDomain lost={domain.lost} /> : null
  if (!isSaved) return <p class="text-muted">Save to see the DNS records that the domain needs.</p>
  const fresh = checked?.domain === domain.domain ? checked : null
  return (
    <section class="space-y-3 rounded-md bg-ground p-3" aria-label={`Custom domain ${domain.domain}`}>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <Label domain={domain} dns={fresh?.dns ?? null} />
        {may('MEMBER') && domain.state !== 'RESERVED' && (
          <Button busy={isBusy} onClick={() => void check()}>
            Check now
          </Button>
        )}
      </div>
      <div role="status" class="space-y-1">
        <Explanation domain={domain} />
        <LastCheck domain={domain} />
        {fresh?.dns && <p>{fresh.dns.message}</p>}
      </div>
      {problem !== undefined && <ErrorNotice problem={problem} />}
      <DomainRecords records={fresh?.records ?? domain.records} />
    </section>
  )
}

const labels: Readonly<Record<Domain['state'], { look: State; word: string }>> = {
  NONE: { look: 'PENDING', word: 'No domain' },
  NOT_REQUIRED: { look: 'PENDING', word: 'Not checked yet' },
  WAITING: { look: 'PENDING', word: 'Waiting for DNS record' },
  VERIFIED: { look: 'UP', word: 'Verified' },
  FAILING: { look: 'DEGRADED', word: 'DNS record missing' },
  UNPROVEN: { look: 'DOWN', word: 'Not served: DNS record missing' },
  RESERVED: { look: 'DOWN', word: 'Not served' },
}

function Label({ domain: { state }, dns }: { domain: Domain; dns: Domain['dns'] }) {
  if (state !== 'NOT_REQUIRED' || dns === null) return <LabelledShape {...labels[state]} />
  const word = dns.pointsHere ? 'Points here' : 'Does not point here'
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
      return <p>The page is served on {domain} as soon as its DNS record points here.</p>
    case 'RESERVED':
      return <p>{domain} belongs to this installation. Enter your own domain.</p>
    case 'WAITING':
      return (
        <p>
          The page is not served on {domain} yet. Add the DNS records below to verify that you own the domain.
          {expiresAt !== null && (
            <>
              {' '}
              The domain is released <RelativeTime at={expiresAt} upcoming /> if it isn’t verified by then.
            </>
          )}
        </p>
      )
    case 'VERIFIED':
      return (
        <p>
          Verified since {verifiedAt !== null && <AbsoluteTime at={verifiedAt} />}. Keep the record; we check it
          regularly.
        </p>
      )
    case 'FAILING':
      return (
        <p>
          The DNS record has been missing since {failingSince !== null && <AbsoluteTime at={failingSince} />}. Add it
          again: the page stops being served on {domain} <RelativeTime at={servedUntil} upcoming />.
        </p>
      )
    case 'UNPROVEN':
      return (
        <p>
          The DNS record has been missing since {failingSince !== null && <AbsoluteTime at={failingSince} />}. Add it
          again: the domain is released <RelativeTime at={expiresAt} upcoming />.
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
        Last checked: <RelativeTime at={checkedAt} />
        {state !== 'VERIFIED' && checkedAt !== null && (
          <>
            {' · '}found: {found.length === 0 ? 'no records' : <code class="break-all">{found.join(', ')}</code>}
          </>
        )}
      </p>
      {checkError !== null && <p class="text-muted">The last check failed: {checkError}. We’ll try again.</p>}
    </>
  )
}

function LostDomain({ lost: { domain, reason, at } }: { lost: NonNullable<Domain['lost']> }) {
  return (
    <InfoNotice>
      {reason === 'EXPIRED' ? (
        <>
          {domain} was released on {dayOf(at)}because it wasn’t verified. Enter it again to get more time.
        </>
      ) : (
        <>
          {domain} moved to another status page on {dayOf(at)}, which has the verifying DNS record.
        </>
      )}
    </InfoNotice>
  )
}
