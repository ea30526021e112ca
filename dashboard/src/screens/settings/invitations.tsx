import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
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
  const [toDrop, setToDrop] = useState<AppSchemas['Invitation'] | null>(null)
  const invitations = useGet('invitation', '/app/api/invitations')
  return (
    <Section title={t('Pending invitations')} lead={t('Single-use, expires in 7 days')}>
      <QueryResult query={invitations} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="card p-4 text-muted">{t('No pending invitations.')}</p>
          ) : (
            <Rows label={t('Pending invitations')}>
              {data.map((invitation) => (
                <Row
                  key={invitation.id}
                  title={
                    <>
                      {invitation.email ?? t('Anyone with the link')}{' '}
                      <Tag>{roleDescriptions[invitation.role].name}</Tag>
                    </>
                  }
                  details={
                    <Facts>
                      {[
                        t('by {invitedBy}', { invitedBy: invitation.invitedBy }),
                        <RelativeTime key="made" at={invitation.createdAt} />,
                        <span key="ends">
                          {tx('expires {time}', { time: <RelativeTime at={invitation.expiresAt} upcoming /> })}
                        </span>,
                      ]}
                    </Facts>
                  }
                  actions={
                    <Button look="danger" onClick={() => setToDrop(invitation)}>
                      {t('Revoke')}{' '}
                    </Button>
                  }
                />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      {toDrop !== null && <RevokeInvitation invitation={toDrop} onClose={() => setToDrop(null)} />}
    </Section>
  )
}

function RevokeInvitation({ invitation, onClose }: { invitation: AppSchemas['Invitation']; onClose: () => void }) {
  const { app, refresh } = useOrganization()
  const drop = async () => {
    const path = { invitationId: invitation.id }
    await app.DELETE('/app/api/invitations/{invitationId}', { path })
    await refresh('invitation')
    showToast(t('Invitation revoked'))
  }
  return (
    <Confirm title={t('Revoke this invitation?')} action={t('Revoke')} onConfirm={drop} onClose={onClose}>
      {tx('The link{value} stops working. You can send a new invitation at any time.', {
        value: invitation.email === null ? '' : t(' sent to {email}', { email: invitation.email }),
      })}
    </Confirm>
  )
}
