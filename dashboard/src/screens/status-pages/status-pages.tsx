import { Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { NewPage } from './new-page.tsx'
import { OverallStatusLabel, PublishedLabel, type StatusPage } from './overall-status.tsx'

const PER_PAGE = 25

/** Status pages with their status and links. */
export default function StatusPages() {
  const { may } = useOrganization()
  const [params, change] = useSearchState()
  const [isCreating, setCreating] = useState(params.get('new') !== null)
  const offset = Math.max(0, Number(params.get('offset')) || 0)
  const pages = useGet('status_page', '/api/v1/status-pages', {
    query: { limit: PER_PAGE, offset },
    // The overall status depends on monitors, which the event stream reports as another kind.
    refetchInterval: 20_000,
  })
  const newButton = may('MEMBER') && (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      {t('New status page')}
    </Button>
  )
  return (
    <Page title={t('Status pages')} wide lead={summaryOf(pages.data?.data ?? [])} actions={newButton}>
      <QueryResult query={pages}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              <EmptyState title={t('No status pages yet')} action={newButton}>
                {may('MEMBER')
                  ? t('Show your users the current status, incidents and maintenance on a public page.')
                  : t('Members of this organization can create status pages. You can see them here.')}
              </EmptyState>
            ) : (
              <ul class="card divide-y divide-line">
                {data.map((page) => (
                  <Row key={page.id} page={page} />
                ))}
              </ul>
            )}
            <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
          </>
        )}
      </QueryResult>
      {isCreating && may('MEMBER') && <NewPage onClose={() => setCreating(false)} />}
    </Page>
  )
}

function summaryOf(pages: readonly StatusPage[]): string {
  const open = pages.filter(({ published }) => published)
  const troubled = open.filter(({ overallStatus }) => overallStatus !== 'OPERATIONAL').length
  const published = plural(open.length, 'page')
  if (pages.length === 0) return t('Public pages with the status of your services.')
  if (open.length === 0) return t('No published pages.')
  if (troubled === 0) return t('{length} published, all systems operational.', { length: published })
  return t('{published} published, {troubled} with incidents or maintenance.', { published, troubled })
}

function Row({ page }: { page: StatusPage }) {
  return (
    <li class="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-ground">
      <div class="min-w-0 grow basis-72">
        <Link href={`/status-pages/${page.id}`} class="font-semibold after:absolute after:inset-0 hover:underline">
          {page.name}
        </Link>
        <p class="mt-0.5 text-muted">
          {page.published ? (
            <a class="link relative" href={page.url} target="_blank" rel="noreferrer">
              {page.url.replace(/^https?:\/\//, '')} ↗
            </a>
          ) : (
            page.url.replace(/^https?:\/\//, '')
          )}
          {/* How many monitors a section shows by labels is not known here. */}
          {` · ${plural(page.sections.length, 'section')}`}
        </p>
      </div>
      <div class="flex flex-wrap items-center gap-x-4 gap-y-1">
        <OverallStatusLabel page={page} />
        <PublishedLabel page={page} />
      </div>
    </li>
  )
}
