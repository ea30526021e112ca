import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { describeBrowser } from './describe-browser.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Sessions of the user. */
export function Sessions() {
  const queries = useQueryClient()
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => userApp.GET('/app/api/sessions'),
    staleTime: 0,
  })
  const endOthers = async () => {
    const { ended } = await userApp.POST('/app/api/sessions/end-others')
    await queries.invalidateQueries({ queryKey: ['sessions'] })
    showToast(t('{ended} signed out', { ended: plural(ended, 'session') }))
  }
  const others = (sessions.data?.data.length ?? 1) - 1
  return (
    <Section
      title={t('Sessions')}
      lead={t('Sessions expire after 7 days without use, and after 30 days at the latest.')}
      actions={
        others > 0 && (
          <ConfirmButton
            label={t('Sign out all others')}
            title={t('Sign out all other sessions?')}
            action={t('Sign out')}
            onConfirm={endOthers}
          >
            {tx('Signs you out of {others}. You stay signed in here.', { others: plural(others, 'other session') })}
          </ConfirmButton>
        )
      }
    >
      <QueryResult query={sessions} lines={2}>
        {({ data }) => (
          <Rows label={t('Sessions')}>
            {data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </QueryResult>
    </Section>
  )
}

function SessionRow({ session }: { session: AppSchemas['Session'] }) {
  const queries = useQueryClient()
  const { id, isCurrent, address, userAgent, createdAt, lastSeenAt } = session
  const browser = describeBrowser(userAgent)
  const end = async () => {
    await userApp.DELETE('/app/api/sessions/{sessionId}', { path: { sessionId: id } }).then(
      () => showToast(t('Session signed out')),
      (problem: Error) => showToast(problem.message),
    )
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Row
      title={
        <>
          <span title={userAgent ?? undefined}>{browser}</span> {isCurrent && <Tag tone="good">{t('Current')}</Tag>}
        </>
      }
      details={
        <Facts>
          {[
            tx('last used {time} from {address}', { time: <RelativeTime at={lastSeenAt} />, address }),
            tx('signed in {time}', { time: <RelativeTime at={createdAt} /> }),
          ]}
        </Facts>
      }
      actions={
        !isCurrent && (
          <Button
            look="danger"
            aria-label={t('Sign out {browser}, {address}', { browser, address })}
            onClick={() => void end()}
          >
            {t('Sign out')}{' '}
          </Button>
        )
      }
    />
  )
}
