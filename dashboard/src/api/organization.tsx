import { useQueryClient } from '@tanstack/preact-query'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { type AppSchemas, type Clients, clientsFor } from './client.ts'

export type Role = AppSchemas['Membership']['role']
export const rolesAscending: readonly Role[] = ['VIEWER', 'MEMBER', 'ADMIN', 'OWNER']

export interface CurrentOrganization extends Clients {
  readonly organization: AppSchemas['Membership']
  /** Path prefix of this organization. */
  readonly base: string
  /** Whether the user has at least this role. */
  may(role: Role): boolean
  /**
   * A query key. `kind` is the resource kind in the event stream ('monitor', 'incident', 'status_incident', 'maintenance',
   * 'webhook', …): a change of that kind makes the data stale.
   */
  key(kind: string, ...rest: readonly unknown[]): readonly unknown[]
  /** Refetches all queries of these kinds. */
  refresh(...kinds: readonly string[]): Promise<void>
}

const Context = createContext<CurrentOrganization | null>(null)

export function OrganizationProvider(props: { organization: AppSchemas['Membership']; children: ComponentChildren }) {
  const { organization, children } = props
  const queries = useQueryClient()
  const value = useMemo<CurrentOrganization>(() => {
    const { id, slug, role } = organization
    return {
      ...clientsFor(id),
      organization,
      base: `/o/${slug}`,
      may: (needed) => rolesAscending.indexOf(role) >= rolesAscending.indexOf(needed),
      key: (kind, ...rest) => [id, kind, ...rest],
      refresh: async (...kinds) => {
        await Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [id, kind] })))
      },
    }
  }, [organization, queries])
  return <Context.Provider value={value}>{children}</Context.Provider>
}

export function useOrganization(): CurrentOrganization {
  const value = useContext(Context)
  if (value === null) throw new Error(t('This is only shown within an organization'))
  return value
}
