import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import type { StatusPage } from './overall-status.tsx'

/** Checks the DNS records of the custom domain and shows the record to create. */
export function DomainCheck({ page, isSaved }: { page: StatusPage; isSaved: boolean }) {
  const { app, key, may } = useOrganization()
  const check = useQuery({
    queryKey: key('domain_check', page.id, page.customDomain),
    queryFn: () =>
      unwrap(app.GET('/app/api/status-pages/{statusPageId}/domain', { params: { path: { statusPageId: page.id } } })),
    enabled: false,
    gcTime: 0,
  })
  if (!may('MEMBER')) return null
  const found = check.data
  return (
    <div class="rounded-md bg-ground p-3">
      <div class="flex flex-wrap items-center gap-3">
        <Button
          busy={check.isFetching}
          disabled={!isSaved}
          title={isSaved ? undefined : 'Save first'}
          onClick={() => void check.refetch()}
        >
          Check {page.customDomain}
        </Button>
        {found !== undefined && (
          <LabelledShape
            look={found.pointsHere ? 'UP' : 'DOWN'}
            word={found.pointsHere ? 'It leads here' : 'It does not lead here'}
          />
        )}
      </div>
      {found !== undefined && (
        <div class="mt-2" role="status">
          <p>{found.message}</p>
          <p class="mt-1 text-xs text-muted">
            CNAME: {found.cname ?? 'none'} · addresses:{' '}
            {found.addresses.length === 0 ? 'none' : found.addresses.join(', ')}
          </p>
        </div>
      )}
      {check.isError && (
        <div class="mt-2">
          <ErrorNotice problem={check.error} />
        </div>
      )}
    </div>
  )
}
