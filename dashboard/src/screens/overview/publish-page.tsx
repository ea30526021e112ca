import { ExternalLink } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { useRunningAction } from '../monitors/actions.ts'

/** Creates a status page with the new monitor, or links to existing pages. */
export function PublishPage({ monitorId }: { monitorId: string }) {
  const { api, refresh, organization } = useOrganization()
  const [createdId, setCreatedId] = useState<string>()
  const doing = useRunningAction()
  const pages = useGet('status_page', '/api/v1/status-pages', { query: { limit: 25 } })
  const publish = async () => {
    const sections = [{ name: t('Services'), monitors: [{ monitorId }] }]
    const page = await api.POST('/api/v1/status-pages', {
      body: { name: t('{name} status', { name: organization.name }), published: true, sections },
    })
    setCreatedId(page.id)
    await refresh('status_page')
  }
  return (
    <QueryResult query={pages} lines={2}>
      {({ data }) => {
        const page = data.find(({ id }) => id === createdId) ?? data[0]
        if (page !== undefined) return <Published page={page} isNew={page.id === createdId} />
        return (
          <section aria-labelledby="publish-heading" class="card p-5">
            <h2 id="publish-heading" class="text-base font-semibold">
              {t('Create a status page?')}
            </h2>
            <p class="mt-1 text-muted">
              {t(
                'A public page with the current status, incidents and maintenance. You can edit or unpublish it at any time.',
              )}
            </p>
            {doing.problem !== undefined && (
              <div class="mt-3">
                <ErrorNotice problem={doing.problem} />
              </div>
            )}
            <div class="mt-4 flex flex-wrap gap-2">
              <Button busy={doing.busy !== null} onClick={() => void doing.run('publish', publish)}>
                {t('Publish status page')}
              </Button>
              <LinkButton href="/">{t('Not now')}</LinkButton>
            </div>
          </section>
        )
      }}
    </QueryResult>
  )
}

function Published({ page, isNew }: { page: { id: string; name: string; url: string }; isNew: boolean }) {
  return (
    <section aria-label={t('Status page')} class="card p-5" aria-live="polite">
      <h2 class="text-base font-semibold">{isNew ? t('Your status page is live') : t('You have a status page')}</h2>
      <p class="mt-1">
        <a href={page.url} target="_blank" rel="noreferrer" class="link inline-flex items-center gap-1 break-all">
          {page.url}
          <ExternalLink size={14} class="shrink-0" aria-hidden="true" />
          <span class="sr-only">{t('(opens in a new tab)')}</span>
        </a>
      </p>
      <div class="mt-4 flex flex-wrap gap-2">
        <LinkButton href="/">{t('Go to overview')}</LinkButton>
        <LinkButton href={`/status-pages/${page.id}`}>{tx('Edit {name}', { name: page.name })}</LinkButton>
      </div>
    </section>
  )
}
