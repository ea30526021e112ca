import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { toRequestError } from '../api/api-error.ts'
import { t } from '../lib/i18n.ts'
import { LinkButton } from './button.tsx'
import { EmptyState } from './notice.tsx'
import { Page } from './page.tsx'
import { QueryResult } from './query-result.tsx'

interface ComingProps {
  readonly query: UseQueryResult<unknown, unknown>
  /** Kind of resource, such as "Maintenance window". */
  readonly title: string
  readonly back: { readonly href: string; readonly label: string }
  /** Explanation if it does not exist. */
  readonly children?: ComponentChildren
}

/** The screen of one resource while it loads, fails to load or does not exist. */
export function ResourcePage({ query, title, back, children = t('It may have been deleted.') }: ComingProps) {
  const isMissing = query.isError && toRequestError(query.error).status === 404
  return (
    <Page title={title} back={back}>
      {isMissing ? (
        <EmptyState
          title={t('{title} not found', { title })}
          action={<LinkButton href={back.href}>{back.label}</LinkButton>}
        >
          {children}
        </EmptyState>
      ) : (
        <QueryResult query={query} lines={8}>
          {() => null}
        </QueryResult>
      )}
    </Page>
  )
}
