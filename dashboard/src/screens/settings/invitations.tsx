import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { roleDescriptions } from '../accounts/roles.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Pending invitations. */
export function Invitations() {
  const { app, key } = useOrganization()
  const [toDrop, setToDrop] = useState<AppSchemas['Invitation'] | null>(null)
  const invitations = useQuery({ queryKey: key('invitation'), queryFn: () => unwrap(app.GET('/app/api/invitations')) })
  return (
    <Section title="Pending invitations" lead="Single-use, expires in 7 days">
      <QueryResult query={invitations} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="card p-4 text-muted">No pending invitations.</p>
          ) : (
            <Rows label="Pending invitations">
              {data.map((invitation) => (
                <Row
                  key={invitation.id}
                  title={
                    <>
                      {invitation.email ?? 'Anyone with the link'} <Tag>{roleDescriptions[invitation.role].name}</Tag>
                    </>
                  }
                  details={
                    <Facts>
                      {[
                        `by ${invitation.invitedBy}`,
                        <RelativeTime key="made" at={invitation.createdAt} />,
                        <span key="ends">
                          expires <RelativeTime at={invitation.expiresAt} upcoming />
                        </span>,
                      ]}
                    </Facts>
                  }
                  actions={
                    <Button look="danger" onClick={() => setToDrop(invitation)}>
                      Revoke{' '}
                    </Button>
                  }
                />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      {toDrop !== null && <TakeBack invitation={toDrop} onClose={() => setToDrop(null)} />}
    </Section>
  )
}

function TakeBack({ invitation, onClose }: { invitation: AppSchemas['Invitation']; onClose: () => void }) {
  const { app, refresh } = useOrganization()
  const drop = async () => {
    const params = { path: { invitationId: invitation.id } }
    await unwrap(app.DELETE('/app/api/invitations/{invitationId}', { params }))
    await refresh('invitation')
    showToast('Invitation revoked')
  }
  return (
    <Confirm title="Revoke this invitation?" action="Revoke" onConfirm={drop} onClose={onClose}>
      The link{invitation.email === null ? '' : ` sent to ${invitation.email}`} stops working. You can send a new
      invitation at any time.
    </Confirm>
  )
}
