import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useGet, useMe } from '../../api/get.ts'
import { type Role, rolesAscending, useOrganization } from '../../api/organization.tsx'
import { dayOf } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { roleDescriptions, useRoleChoices } from '../accounts/roles.ts'
import { Invitations, Invite } from './invitations.tsx'
import { LostInvitations, useLostInvitations } from './lost-invitations.tsx'
import { RemoveMember } from './remove-member.tsx'
import { Facts, Row, Rows, Tag } from './rows.tsx'

/** Members and their roles. */
export default function Members() {
  const { may } = useOrganization()
  const [search] = useSearchState()
  const [isInviting, setInviting] = useState(search.get('invite') !== null)
  const members = useGet('member', '/app/api/members')
  const me = useMe()
  return (
    <Page
      title={t('Members')}
      lead={
        members.data
          ? t('{length} in this organization', { length: plural(members.data.data.length, 'person', 'people') })
          : undefined
      }
      actions={
        may('ADMIN') && (
          <Button look="primary" onClick={() => setInviting(true)}>
            {t('Invite')}
          </Button>
        )
      }
    >
      <Section title={t('People')}>
        <QueryResult query={members} lines={4}>
          {({ data }) => (
            <Rows label={t('Members')}>
              {data.map((member) => (
                <MemberRow key={member.userId} member={member} isMe={member.userId === me.data?.user.id} />
              ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
      {may('ADMIN') && <Invitations />}
      <Section title={t('Roles')}>
        <dl class="card grid gap-x-6 gap-y-2 p-4 sm:grid-cols-[auto_1fr]">
          {rolesAscending.toReversed().map((role) => (
            <div key={role} class="contents">
              <dt class="font-medium">{roleDescriptions[role].name}</dt>
              <dd class="mb-2 text-muted sm:mb-0">{roleDescriptions[role].may}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {isInviting && may('ADMIN') && <Invite onClose={() => setInviting(false)} />}
    </Page>
  )
}

function MemberRow({ member, isMe }: { member: AppSchemas['Member']; isMe: boolean }) {
  const { may } = useOrganization()
  const [isRemoving, setRemoving] = useState(false)
  const { name, email, role, joinedAt } = member
  // Users leave under "Your account"; only owners change owners.
  const canChange = !isMe && may(role === 'OWNER' ? 'OWNER' : 'ADMIN')
  return (
    <>
      <Row
        title={
          <>
            {name} {isMe && <Tag>{t('You')}</Tag>}
          </>
        }
        details={
          <Facts>{[name === email ? null : email, t('joined {joinedAt}', { joinedAt: dayOf(joinedAt) })]}</Facts>
        }
        aside={canChange ? undefined : roleDescriptions[role].name}
        actions={
          canChange && (
            <>
              <RoleChoice member={member} />
              <Button look="danger" aria-label={t('Remove {name}', { name })} onClick={() => setRemoving(true)}>
                {t('Remove')}
              </Button>
            </>
          )
        }
      />
      {isRemoving && <RemoveMember member={member} onClose={() => setRemoving(false)} />}
    </>
  )
}

const changedTexts: Readonly<Record<Role, (name: string) => string>> = {
  OWNER: (name) => t('{name} is now an owner', { name }),
  ADMIN: (name) => t('{name} is now an admin', { name }),
  MEMBER: (name) => t('{name} is now a member', { name }),
  VIEWER: (name) => t('{name} is now a viewer', { name }),
}

function RoleChoice({ member: { userId, name, role } }: { member: AppSchemas['Member'] }) {
  const { app, refresh } = useOrganization()
  const choices = useRoleChoices()
  const [problem, setProblem] = useState<unknown>()
  const [chosen, setChosen] = useState<Role | null>(null)
  const lostInvitationsFor = useLostInvitations(userId)
  const save = async (next: Role) => {
    await app.PATCH('/app/api/members/{userId}', { path: { userId }, body: { role: next } })
    showToast(changedTexts[next](name))
    await refresh('member', 'invitation')
  }
  const choose = async (next: Role) => {
    setProblem(undefined)
    if (lostInvitationsFor && lostInvitationsFor(next).length > 0) return setChosen(next)
    await save(next).catch((thrown) => {
      setProblem(thrown)
      return refresh('member')
    })
  }
  return (
    <>
      <Select
        aria-label={t('Role of {name}', { name })}
        value={chosen ?? role}
        disabled={lostInvitationsFor === undefined}
        onValue={(next) => void choose(next)}
        choices={choices}
      />
      <ErrorNotice problem={problem} />
      {chosen !== null && (
        <Confirm
          title={t('Change the role of {name}?', { name })}
          action={t('Change role')}
          onConfirm={() => save(chosen)}
          onClose={() => setChosen(null)}
        >
          <LostInvitations invitations={lostInvitationsFor?.(chosen) ?? []} />
        </Confirm>
      )}
    </>
  )
}
