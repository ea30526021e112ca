import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { toRequestError } from '../api/api-error.ts'
import { LinkButton } from './button.tsx'
import { EmptyState } from './notice.tsx'
import { Page } from './page.tsx'
import { QueryResult } from './query-result.tsx'

interface ComingProps {
  readonly query: UseQueryResult<unknown, unknown>
  /** What it is: "Maintenance window". */
  readonly title: string
  readonly back: { readonly href: string; readonly label: string }
  /** Why it may not be there. */
  readonly children?: ComponentChildren
}

/** The screen of one thing until it is there: that it is coming, why it could not be had, or that there is no such thing. */
export function ResourcePage({ query, title, back, children = 'It may have been deleted.' }: ComingProps) {
  const isMissing = query.isError && toRequestError(query.error).status === 404
  return (
    <Page title={title} back={back}>
      {isMissing ? (
        <EmptyState
          title={`There is no such ${title.toLowerCase()}`}
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
