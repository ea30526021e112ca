import type { ComponentType } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect } from 'preact/hooks'
import { Route, Router, Switch, useLocation, useSearch } from 'wouter-preact'
import type { AppSchemas } from '../api/client.ts'
import { useGet, useMe } from '../api/get.ts'
import { LiveUpdates } from '../api/live-updates.tsx'
import { OrganizationProvider } from '../api/organization.tsx'
import { t } from '../lib/i18n.ts'
import { switchLanguage } from '../lib/language.ts'
import { setTabIncidents } from '../lib/tab.ts'
import { guardNavigation } from '../lib/unsaved-forms.ts'
import { LinkButton } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { EmptyState } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { DelayedPlaceholder, PlaceholderLines } from '../ui/query-result.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { LoadError, LoadingScreen } from './loading.tsx'
import { Shell } from './shell.tsx'

const WallBoard = lazy(() => import('../screens/overview/wall-board.tsx'))
const Settings = lazy(() => import('../screens/settings/settings.tsx'))

/** Paths below /o/SLUG, which links inside omit. A screen of one resource gets its id. */
const screens: readonly (readonly [path: string, screen: ComponentType<{ id: string }>])[] = [
  ['/', lazy(() => import('../screens/overview/overview.tsx'))],
  ['/welcome', lazy(() => import('../screens/overview/welcome.tsx'))],
  ['/monitors', lazy(() => import('../screens/monitors/monitors.tsx'))],
  ['/monitors/new', lazy(() => import('../screens/monitors/new-monitor.tsx'))],
  ['/monitors/:id/edit', lazy(() => import('../screens/monitors/edit-monitor.tsx'))],
  ['/monitors/:id', lazy(() => import('../screens/monitors/monitor.tsx'))],
  ['/incidents', lazy(() => import('../screens/incidents/incidents.tsx'))],
  ['/incidents/:id', lazy(() => import('../screens/incidents/incident.tsx'))],
  ['/published', lazy(() => import('../screens/published-incidents/published-incidents.tsx'))],
  ['/published/new', lazy(() => import('../screens/published-incidents/new-published-incident.tsx'))],
  ['/published/:id', lazy(() => import('../screens/published-incidents/published-incident.tsx'))],
  ['/maintenance', lazy(() => import('../screens/maintenance/maintenance.tsx'))],
  ['/maintenance/new', lazy(() => import('../screens/maintenance/new-maintenance.tsx'))],
  ['/maintenance/:id', lazy(() => import('../screens/maintenance/maintenance-window.tsx'))],
  ['/status-pages', lazy(() => import('../screens/status-pages/status-pages.tsx'))],
  ['/status-pages/:id', lazy(() => import('../screens/status-pages/status-page-editor.tsx'))],
  ['/webhooks', lazy(() => import('../screens/webhooks/webhooks.tsx'))],
  ['/webhooks/deliveries/:id', lazy(() => import('../screens/webhooks/webhook-delivery.tsx'))],
  ['/webhooks/:id', lazy(() => import('../screens/webhooks/webhook-endpoint.tsx'))],
  ['/reports/uptime', lazy(() => import('../screens/reports/uptime-report.tsx'))],
]

/** The routes, session and live updates of one organization. */
export function Workspace({ slug }: { slug: string }) {
  const me = useMe()
  const organization = me.data?.organizations.find((one) => one.slug === slug || one.id === slug)
  useEffect(() => {
    if (organization !== undefined) localStorage.setItem('pharos.organization', organization.id)
  }, [organization])
  const chosen = me.data?.user.language ?? null
  useEffect(() => {
    if (chosen !== null) switchLanguage(chosen)
  }, [chosen])
  // A failed refetch keeps the screen, which shows by itself whether it is current.
  if (me.data === undefined) {
    return me.isError ? <LoadError problem={me.error} onRetry={() => void me.refetch()} /> : <LoadingScreen />
  }
  if (organization === undefined) return <NoSuchOrganization />
  return (
    <OrganizationProvider organization={organization} key={organization.id}>
      <LiveUpdates organizationId={organization.id}>
        <Router base={`/o/${slug}`} aroundNav={guardNavigation}>
          <TabIncidents />
          <Frame me={me.data} />
          <LeaveGuard />
        </Router>
      </LiveUpdates>
    </OrganizationProvider>
  )
}

/** Shows an outage in the title and the icon of the browser tab. */
function TabIncidents() {
  const { data } = useGet('incident', '/api/v1/incidents', { query: { status: 'ONGOING', limit: 1 } })
  const ongoing = data?.pagination.total ?? 0
  useEffect(() => {
    setTabIncidents(ongoing)
    return () => setTabIncidents(0)
  }, [ongoing])
  return null
}

/** The wall board has no navigation. */
function Frame({ me }: { me: AppSchemas['Me'] }) {
  const [path] = useLocation()
  const search = useSearch()
  if (path !== '/' || !new URLSearchParams(search).has('board')) {
    return (
      <Shell me={me}>
        <Screens />
      </Shell>
    )
  }
  return (
    <ErrorBoundary place="wall board">
      <Suspense fallback={<LoadingScreen />}>
        <WallBoard />
      </Suspense>
    </ErrorBoundary>
  )
}

function Screens() {
  const [place] = useLocation()
  return (
    <ErrorBoundary place={place}>
      <Suspense fallback={<Placeholder />}>
        <Switch>
          {screens.map(([path, Screen]) => (
            <Route key={path} path={path}>
              {({ id = '' }: { id?: string }) => <Screen id={id} key={id} />}
            </Route>
          ))}
          <Route path="/settings/:part?">{({ part }) => <Settings part={part ?? 'organization'} />}</Route>
          <Route>
            <Page title={t('Not found')}>
              <EmptyState title={t('Page not found')} action={<LinkButton href="/">{t('Overview')}</LinkButton>}>
                {t('The link may be outdated, or the item was deleted.')}
              </EmptyState>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

function Placeholder() {
  return (
    <div class="max-w-6xl px-4 py-6 md:px-8">
      <h1 class="sr-only">{t('Pharos')}</h1>
      <DelayedPlaceholder>
        <PlaceholderLines count={8} />
      </DelayedPlaceholder>
    </div>
  )
}

function NoSuchOrganization() {
  return (
    <main>
      <Page title={t('Organization not found')}>
        <EmptyState
          title={t('You don’t have access to this organization')}
          action={
            <a class="button" href="/">
              {t('Back')}
            </a>
          }
        >
          {t('Check the URL, or ask one of its owners for an invitation.')}
        </EmptyState>
      </Page>
    </main>
  )
}
