import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useAbout, useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Form, NameField } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { roleDescriptions } from '../accounts/roles.ts'
import { KeyChoice, keysToRevoke } from './key-choice.tsx'
import { LostInvitations, useLostInvitations } from './lost-invitations.tsx'
import { Row, Rows, Tag } from './rows.tsx'

interface MembershipsProps {
  readonly organizations: readonly AppSchemas['Membership'][]
  readonly userId: string
}

/** Organizations of the user: open, leave, create. */
export function Memberships({ organizations, userId }: MembershipsProps) {
  const { organization } = useOrganization()
  const members = useGet('member', '/app/api/members')
  const isLastOwner =
    members.data?.data.filter(({ role }) => role === 'OWNER').length === 1 &&
    organizations.some(({ id, role }) => id === organization.id && role === 'OWNER')
  const about = useAbout()
  const [open, setOpen] = useState<'leave' | 'make' | null>(null)
  const close = () => setOpen(null)
  return (
    <Section
      title={t('Organizations')}
      lead={t('Organizations you belong to')}
      actions={about.data?.openSignup && <Button onClick={() => setOpen('make')}>{t('New organization')}</Button>}
    >
      <Rows label={t('Your organizations')}>
        {organizations.map(({ id, slug, name, role }) => (
          <Row
            key={id}
            title={
              <>
                {name} {id === organization.id && <Tag tone="good">{t('Current')}</Tag>}
              </>
            }
            details={
              id === organization.id && isLastOwner
                ? t('You are the only owner. To leave, make another member an owner first.')
                : roleDescriptions[role].name
            }
            actions={
              id === organization.id ? (
                <Button look="danger" disabled={isLastOwner} onClick={() => setOpen('leave')}>
                  {t('Leave')}
                </Button>
              ) : (
                <LinkButton href={`~/o/${slug}/`}>{t('Switch')}</LinkButton>
              )
            }
          />
        ))}
      </Rows>
      {open === 'leave' && <Leave userId={userId} onClose={close} />}
      {open === 'make' && <NewOrganization onClose={close} />}
    </Section>
  )
}

function Leave({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { organization, app } = useOrganization()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [kept, setKept] = useState<readonly string[]>([])
  const keys = useGet('key', '/app/api/keys/own', { staleTime: 0 })
  const lostInvitations = useLostInvitations(userId)?.(null)
  const leave = async () => {
    const revokeKeys = keysToRevoke(keys.data?.data ?? [], kept)
    await app.POST('/app/api/members/leave', { body: { revokeKeys } })
    queries.clear()
    navigate('~/')
  }
  return (
    <Confirm
      title={t('Leave {name}?', { name: organization.name })}
      action={t('Leave')}
      disabled={keys.data === undefined || lostInvitations === undefined}
      onConfirm={leave}
      onClose={onClose}
    >
      <div class="space-y-4">
        <p>{t('You lose access immediately and need an invitation to rejoin. What you created stays.')}</p>
        {lostInvitations && <LostInvitations invitations={lostInvitations} />}
        <QueryResult query={keys} lines={1}>
          {({ data }) =>
            data.length > 0 && (
              <KeyChoice
                keys={data}
                kept={kept}
                onKept={setKept}
                label={t('API keys you created')}
                warning={t('Unselected keys keep working after you leave.')}
              />
            )
          }
        </QueryResult>
      </div>
    </Confirm>
  )
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const create = async () => {
    const { slug } = await userApp.POST('/app/api/organizations', { body: { name } })
    await queries.invalidateQueries({ queryKey: ['me'] })
    navigate(`~/o/${slug}/welcome`)
  }
  return (
    <Dialog title={t('New organization')} onClose={onClose}>
      <Form action={t('Create')} onSubmit={create} onCancel={onClose}>
        <NameField
          autoFocus
          hint={t('You’ll be its owner. Nothing is shared between organizations.')}
          value={name}
          onValue={setName}
        />
      </Form>
    </Dialog>
  )
}
