import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, unwrap, userApp } from '../../api/client.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { describeBrowser } from './describe-browser.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Sessions of the user. */
export function Sessions() {
  const queries = useQueryClient()
  const [isEnding, setEnding] = useState(false)
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => unwrap(userApp.GET('/app/api/sessions')),
    staleTime: 0,
  })
  const endOthers = async () => {
    const { ended } = await unwrap(userApp.POST('/app/api/sessions/end-others'))
    await queries.invalidateQueries({ queryKey: ['sessions'] })
    showToast(`${plural(ended, 'session')} signed out`)
  }
  const others = (sessions.data?.data.length ?? 1) - 1
  return (
    <Section
      title="Sessions"
      lead="Sessions expire after 7 days without use, and after 30 days at the latest."
      actions={others > 0 && <Button onClick={() => setEnding(true)}>Sign out all others</Button>}
    >
      <QueryResult query={sessions} lines={2}>
        {({ data }) => (
          <Rows label="Sessions">
            {data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </QueryResult>
      {isEnding && (
        <Confirm
          title="Sign out all other sessions?"
          action="Sign out"
          onConfirm={endOthers}
          onClose={() => setEnding(false)}
        >
          Signs you out of {plural(others, 'other session')}. You stay signed in here.
        </Confirm>
      )}
    </Section>
  )
}

function SessionRow({ session }: { session: AppSchemas['Session'] }) {
  const queries = useQueryClient()
  const { id, isCurrent, address, userAgent, createdAt, lastSeenAt } = session
  const browser = describeBrowser(userAgent)
  const end = async () => {
    await unwrap(userApp.DELETE('/app/api/sessions/{sessionId}', { params: { path: { sessionId: id } } })).then(
      () => showToast('Session signed out'),
      (problem: Error) => showToast(problem.message),
    )
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Row
      title={
        <>
          <span title={userAgent ?? undefined}>{browser}</span> {isCurrent && <Tag tone="good">Current</Tag>}
        </>
      }
      details={
        <Facts>
          {[
            <span key="seen">
              last used <RelativeTime at={lastSeenAt} /> from {address}
            </span>,
            <span key="since">
              signed in <RelativeTime at={createdAt} />
            </span>,
          ]}
        </Facts>
      }
      actions={
        !isCurrent && (
          <Button look="danger" aria-label={`Sign out ${browser}, ${address}`} onClick={() => void end()}>
            Sign out{' '}
          </Button>
        )
      }
    />
  )
}
