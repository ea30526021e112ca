import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { problemOf } from '../api/problem.ts'
import { LinkButton } from './button.tsx'
import { Loaded } from './loaded.tsx'
import { Empty } from './notice.tsx'
import { Page } from './page.tsx'

interface ComingProps {
  readonly query: UseQueryResult<unknown, unknown>
  /** What it is: "Maintenance window". */
  readonly title: string
  readonly back: { readonly href: string; readonly label: string }
  /** Why it may not be there. */
  readonly children?: ComponentChildren
}

/** The screen of one thing until it is there: that it is coming, why it could not be had, or that there is no such thing. */
export function Coming({ query, title, back, children = 'It may have been deleted.' }: ComingProps) {
  const isMissing = query.isError && problemOf(query.error).status === 404
  return (
    <Page title={title} back={back}>
      {isMissing ? (
        <Empty
          title={`There is no such ${title.toLowerCase()}`}
          action={<LinkButton href={back.href}>{back.label}</LinkButton>}
        >
          {children}
        </Empty>
      ) : (
        <Loaded query={query} lines={8}>
          {() => null}
        </Loaded>
      )}
    </Page>
  )
}
