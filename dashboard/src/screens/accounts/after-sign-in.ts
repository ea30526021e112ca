import { useQueryClient } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { clientsFor, userApp } from '../../api/client.ts'
import { localZone } from '../../lib/format.ts'
import { clearDrafts } from '../../lib/unsaved-forms.ts'
import { showToast } from '../../ui/toast.tsx'

/** The path to open after sign-in; undefined if it is not a path of this server. */
export function nextPath(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next')
  // `//host` and `/\host` open other sites; URL parsing checks the rest.
  if (next === null || !/^\/(?![/\\])/.test(next)) return undefined
  const { origin, pathname, search: rest, hash } = new URL(next, window.location.origin)
  return origin === window.location.origin ? pathname + rest + hash : undefined
}

/** Clears all cached data and opens the next path. */
export function useAfterSignIn(): (to?: string) => void {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return (to = '/') => {
    queries.clear()
    navigate(to)
  }
}

/** Opens the user's organization, or its first steps, after an account was created. */
export function useOpenOrganization(): (screen: '' | 'welcome', organizationId?: string | null) => Promise<void> {
  const finishSignIn = useAfterSignIn()
  return async (screen, organizationId) => {
    const { organizations } = await userApp.GET('/app/api/me')
    const { id, slug, timezone } = organizations.find((one) => one.id === organizationId) ?? organizations[0] ?? {}
    // New organizations have UTC. It can be changed in the settings, so nothing is lost if this fails.
    if (screen === 'welcome' && timezone === 'UTC' && localZone !== 'UTC') {
      await clientsFor(id)
        .app.PATCH('/app/api/organization', { body: { timezone: localZone } })
        .catch(() => {})
    }
    finishSignIn(slug === undefined ? '/' : `/o/${slug}/${screen}`)
  }
}

/** Ends the session. Drafts are removed: the next user of the tab must not see them. */
export async function signOut(): Promise<void> {
  await userApp.POST('/app/api/sign-out').catch((problem: Error) => showToast(problem.message))
  clearDrafts()
}
