import { useQuery } from '@tanstack/preact-query'
import { lazy, Suspense } from 'preact/compat'
import { useEffect } from 'preact/hooks'
import { Route, Router, Switch, useLocation } from 'wouter-preact'
import { answer, userApp } from '../api/client.ts'
import { Live } from '../api/live.tsx'
import { OrganizationProvider } from '../api/organization.tsx'
import { Boundary } from '../ui/boundary.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Lines, Patient } from '../ui/loaded.tsx'
import { Empty } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Opening, Trouble } from './outside.tsx'
import { Shell } from './shell.tsx'

const Overview = lazy(() => import('../screens/overview/overview.tsx'))
const Welcome = lazy(() => import('../screens/overview/welcome.tsx'))
const Monitors = lazy(() => import('../screens/monitors/monitors.tsx'))
const NewMonitor = lazy(() => import('../screens/monitors/new-monitor.tsx'))
const EditMonitor = lazy(() => import('../screens/monitors/edit-monitor.tsx'))
const Monitor = lazy(() => import('../screens/monitors/monitor.tsx'))
const Incidents = lazy(() => import('../screens/incidents/incidents.tsx'))
const Incident = lazy(() => import('../screens/incidents/incident.tsx'))
const PublishedIncidents = lazy(() => import('../screens/published/published-incidents.tsx'))
const NewPublishedIncident = lazy(() => import('../screens/published/new-published-incident.tsx'))
const PublishedIncident = lazy(() => import('../screens/published/published-incident.tsx'))
const Maintenance = lazy(() => import('../screens/maintenance/maintenance.tsx'))
const NewMaintenance = lazy(() => import('../screens/maintenance/new-maintenance.tsx'))
const MaintenanceWindow = lazy(() => import('../screens/maintenance/maintenance-window.tsx'))
const StatusPages = lazy(() => import('../screens/statuspages/status-pages.tsx'))
const StatusPageEditor = lazy(() => import('../screens/statuspages/status-page-editor.tsx'))
const Webhooks = lazy(() => import('../screens/webhooks/webhooks.tsx'))
const WebhookEndpoint = lazy(() => import('../screens/webhooks/webhook-endpoint.tsx'))
const WebhookDelivery = lazy(() => import('../screens/webhooks/webhook-delivery.tsx'))
const Settings = lazy(() => import('../screens/settings/settings.tsx'))

/** One organization: who is in it, how its screens are reached, and the stream that keeps them current. */
export function Workspace({ slug }: { slug: string }) {
  const me = useQuery({ queryKey: ['me'], queryFn: () => answer(userApp.GET('/app/api/me')) })
  const organization = me.data?.organizations.find((one) => one.slug === slug || one.id === slug)
  useEffect(() => {
    if (organization !== undefined) localStorage.setItem('pharos.organization', organization.id)
  }, [organization])
  if (me.isError) return <Trouble problem={me.error} onRetry={() => void me.refetch()} />
  if (me.data === undefined) return <Opening />
  if (organization === undefined) return <NoSuchOrganization />
  return (
    <OrganizationProvider organization={organization} key={organization.id}>
      <Live organizationId={organization.id}>
        <Router base={`/o/${slug}`}>
          <Shell me={me.data}>
            <Screens />
          </Shell>
        </Router>
      </Live>
    </OrganizationProvider>
  )
}

/** Paths below /o/SLUG. Links within are written without that part. */
function Screens() {
  const [place] = useLocation()
  return (
    <Boundary place={place}>
      <Suspense fallback={<Placeholder />}>
        <Routes />
      </Suspense>
    </Boundary>
  )
}

function Routes() {
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/welcome" component={Welcome} />
      <Route path="/monitors" component={Monitors} />
      <Route path="/monitors/new" component={NewMonitor} />
      <Route path="/monitors/:id/edit">{({ id }) => <EditMonitor id={id as string} key={id} />}</Route>
      <Route path="/monitors/:id">{({ id }) => <Monitor id={id as string} key={id} />}</Route>
      <Route path="/incidents" component={Incidents} />
      <Route path="/incidents/:id">{({ id }) => <Incident id={id as string} key={id} />}</Route>
      <Route path="/published" component={PublishedIncidents} />
      <Route path="/published/new" component={NewPublishedIncident} />
      <Route path="/published/:id">{({ id }) => <PublishedIncident id={id as string} key={id} />}</Route>
      <Route path="/maintenance" component={Maintenance} />
      <Route path="/maintenance/new" component={NewMaintenance} />
      <Route path="/maintenance/:id">{({ id }) => <MaintenanceWindow id={id as string} key={id} />}</Route>
      <Route path="/status-pages" component={StatusPages} />
      <Route path="/status-pages/:id">{({ id }) => <StatusPageEditor id={id as string} key={id} />}</Route>
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/webhooks/deliveries/:id">{({ id }) => <WebhookDelivery id={id as string} key={id} />}</Route>
      <Route path="/webhooks/:id">{({ id }) => <WebhookEndpoint id={id as string} key={id} />}</Route>
      <Route path="/settings/:part?">{({ part }) => <Settings part={part ?? 'organization'} />}</Route>
      <Route>
        <Page title="Nothing here">
          <Empty title="There is nothing at this address" action={<LinkButton href="/">Overview</LinkButton>}>
            The link may be old, or what it led to was deleted.
          </Empty>
        </Page>
      </Route>
    </Switch>
  )
}

function Placeholder() {
  return (
    <div class="mx-auto max-w-6xl px-4 py-6 md:px-8">
      <h1 class="sr-only">Pharos</h1>
      <Patient>
        <Lines count={8} />
      </Patient>
    </div>
  )
}

function NoSuchOrganization() {
  return (
    <main>
      <Page title="No such organization">
        <Empty
          title="You do not belong to this organization"
          action={
            <a class="button" href="/">
              Back
            </a>
          }
        >
          Ask one of its owners for an invitation, or look whether the address is right.
        </Empty>
      </Page>
    </main>
  )
}
