import { useQueryClient } from '@tanstack/preact-query'
import { lazy, Suspense } from 'preact/compat'
import { useEffect } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation } from 'wouter-preact'
import { onSignedOut } from './api/client.ts'
import { useAbout, useMe } from './api/get.ts'
import { LoadError, LoadingScreen } from './shell/loading.tsx'
import { Workspace } from './shell/workspace.tsx'
import { Toasts } from './ui/toast.tsx'

const SetUp = lazy(() => import('./screens/accounts/set-up.tsx'))
const SignIn = lazy(() => import('./screens/accounts/sign-in.tsx'))
const SignUp = lazy(() => import('./screens/accounts/sign-up.tsx'))
const ConfirmSignUp = lazy(() => import('./screens/accounts/confirm.tsx'))
const ConfirmEmail = lazy(() => import('./screens/accounts/confirm-email.tsx'))
const ResetPassword = lazy(() => import('./screens/accounts/reset-password.tsx'))
const Invitation = lazy(() => import('./screens/accounts/invitation.tsx'))

/** Top-level routes: the sign-in screens and the workspace of an organization. */
export function App() {
  const [path, navigate] = useLocation()
  const queries = useQueryClient()
  useEffect(() => {
    onSignedOut(() => {
      // The wall board stays and says so.
      if ('board' in document.documentElement.dataset) return
      if (!window.location.pathname.startsWith('/o/') && window.location.pathname !== '/') return
      queries.clear()
      const next = window.location.pathname + window.location.search
      navigate(next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`)
    })
  }, [navigate, queries])
  return (
    <>
      <Suspense fallback={<LoadingScreen />}>
        <Switch>
          <Route path="/setup" component={SetUp} />
          <Route path="/sign-in" component={SignIn} />
          <Route path="/sign-up" component={SignUp} />
          <Route path="/confirm" component={ConfirmSignUp} />
          <Route path="/confirm-email" component={ConfirmEmail} />
          <Route path="/reset-password" component={ResetPassword} />
          <Route path="/invitation" component={Invitation} />
          <Route path="/o/:slug/*?">{({ slug }) => <Workspace slug={slug as string} />}</Route>
          <Route>
            <Home key={path} />
          </Route>
        </Switch>
      </Suspense>
      <Toasts />
    </>
  )
}

/** Redirects to setup, to sign-in, or to the organization that was used last. */
function Home() {
  const about = useAbout()
  const isIn = about.data?.signedIn === true
  const me = useMe({ enabled: isIn })
  if (about.isError) return <LoadError problem={about.error} onRetry={() => void about.refetch()} />
  if (me.isError) return <LoadError problem={me.error} onRetry={() => void me.refetch()} />
  if (about.data?.setupNeeded) return <Redirect to="/setup" replace />
  if (about.data?.signedIn === false) return <Redirect to="/sign-in" replace />
  if (me.data === undefined) return <LoadingScreen />
  const { organizations } = me.data
  const last = localStorage.getItem('pharos.organization')
  const { slug } = organizations.find(({ id }) => id === last) ?? organizations[0] ?? {}
  return <Redirect to={slug === undefined ? '/sign-in' : `/o/${slug}/`} replace />
}
