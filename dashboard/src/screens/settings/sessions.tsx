import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type App, answer, userApp } from '../../api/client.ts'
import { plural } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { browserInWords } from './browser-words.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Where one is signed in, and the way to end it there. */
export function Sessions() {
  const queries = useQueryClient()
  const [isEnding, setEnding] = useState(false)
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => answer(userApp.GET('/app/api/sessions')),
    staleTime: 0,
  })
  const endOthers = async () => {
    const { ended } = await answer(userApp.POST('/app/api/sessions/end-others'))
    await queries.invalidateQueries({ queryKey: ['sessions'] })
    say(`${plural(ended, 'session')} ended`)
  }
  const others = (sessions.data?.data.length ?? 1) - 1
  return (
    <Section
      title="Sessions"
      lead="They end after 7 days without use, and 30 days in any case."
      actions={others > 0 && <Button onClick={() => setEnding(true)}>End all others</Button>}
    >
      <Loaded query={sessions} lines={2}>
        {({ data }) => (
          <Rows label="Sessions">
            {data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </Loaded>
      {isEnding && (
        <Confirm
          title="End all other sessions?"
          action="End them"
          onConfirm={endOthers}
          onClose={() => setEnding(false)}
        >
          {plural(others, 'other session')} of yours {others === 1 ? 'has' : 'have'} to sign in again. This one goes on.
        </Confirm>
      )}
    </Section>
  )
}

function SessionRow({ session }: { session: App['Session'] }) {
  const queries = useQueryClient()
  const { id, isCurrent, address, userAgent, createdAt, lastSeenAt } = session
  const browser = browserInWords(userAgent)
  const end = async () => {
    await answer(userApp.DELETE('/app/api/sessions/{sessionId}', { params: { path: { sessionId: id } } })).then(
      () => say('The session has ended'),
      (problem: Error) => say(problem.message),
    )
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Row
      title={
        <>
          <span title={userAgent ?? undefined}>{browser}</span> {isCurrent && <Tag tone="good">This one</Tag>}
        </>
      }
      details={
        <Facts>
          {[
            address,
            <span key="since">
              signed in <Ago at={createdAt} />
            </span>,
            <span key="seen">
              last seen <Ago at={lastSeenAt} />
            </span>,
          ]}
        </Facts>
      }
      actions={
        !isCurrent && (
          <Button look="danger" aria-label={`End the session: ${browser}, ${address}`} onClick={() => void end()}>
            End
          </Button>
        )
      }
    />
  )
}
