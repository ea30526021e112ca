import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useAbout, useGet } from '../../api/get.ts'
import { type Role, useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../../ui/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { AbsoluteTime, RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { roleDescriptions, useRoleChoices } from '../accounts/roles.ts'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Pending invitations. */
export function Invitations() {
  const { app, refresh } = useOrganization()
  const invitations = useGet('invitation', '/app/api/invitations')
  const revoke = async (invitationId: string) => {
    await app.DELETE('/app/api/invitations/{invitationId}', { path: { invitationId } })
    await refresh('invitation')
    showToast(t('Invitation revoked'))
  }
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
                        tx('expires {time}', { time: <RelativeTime at={invitation.expiresAt} upcoming /> }),
                      ]}
                    </Facts>
                  }
                  actions={
                    <ConfirmButton
                      label={t('Revoke')}
                      look="danger"
                      title={t('Revoke this invitation?')}
                      action={t('Revoke')}
                      onConfirm={() => revoke(invitation.id)}
                    >
                      {tx('The link{value} stops working. You can send a new invitation at any time.', {
                        value: invitation.email === null ? '' : t(' sent to {email}', { email: invitation.email }),
                      })}
                    </ConfirmButton>
                  }
                />
              ))}
            </Rows>
          )
        }
      </QueryResult>
    </Section>
  )
}

/** Invites by e-mail, or with a link if no mail server is configured. */
export function Invite({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<AppSchemas['CreatedInvitation'] | null>(null)
  return (
    <Dialog
      title={created === null ? t('Invite member') : t('Invitation created')}
      onClose={onClose}
      shownOnce={created?.link == null ? undefined : t('Have you saved the invitation link?')}
    >
      {created === null ? (
        <InvitationForm onCreated={setCreated} onClose={onClose} />
      ) : (
        <CreatedInvitation invitation={created} onClose={onClose} />
      )}
    </Dialog>
  )
}

function InvitationForm({
  onCreated,
  onClose,
}: {
  onCreated: (invitation: AppSchemas['CreatedInvitation']) => void
  onClose: () => void
}) {
  const { app, refresh } = useOrganization()
  const choices = useRoleChoices()
  const about = useAbout()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('MEMBER')
  const hasMail = about.data?.mail === true
  const submit = async () => {
    const body = { role, ...(email !== '' && { email }) }
    const created = await app.POST('/app/api/invitations', { body })
    await refresh('invitation')
    onCreated(created)
  }
  return (
    <Form
      action={hasMail && email !== '' ? t('Send invitation') : t('Create link')}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextField
        label={t('E-mail (optional)')}
        path="email"
        type="email"
        autocomplete="off"
        autoFocus
        hint={
          hasMail
            ? t('We’ll e-mail the invitation. Leave empty to get a link to share.')
            : t('Only this address can use the link. Leave empty to let anyone with the link join.')
        }
        value={email}
        onValue={setEmail}
      />
      <SelectField
        label={t('Role')}
        path="role"
        value={role}
        onValue={setRole}
        hint={roleDescriptions[role].may}
        choices={choices}
      />
    </Form>
  )
}

function CreatedInvitation({
  invitation: { email, role, link, expiresAt },
  onClose,
}: {
  invitation: AppSchemas['CreatedInvitation']
  onClose: () => void
}) {
  return (
    <div class="space-y-4">
      {link === null ? (
        <p>
          {tx('Invitation sent to {name}, to join {role}.', {
            name: <strong>{email}</strong>,
            role: roleDescriptions[role].as,
          })}
        </p>
      ) : (
        <>
          <p>
            {t('Share this single-use link with')}{' '}
            {email === null ? t('the person to invite') : <strong>{email}</strong>}
            {t('. It won’t be shown again.')}
          </p>
          <CodeBlock text={link} label={t('Invitation link')} wrap />
        </>
      )}
      <p class="text-muted">
        {t('Expires')} <AbsoluteTime at={expiresAt} />
      </p>
      <div class="flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </div>
  )
}
