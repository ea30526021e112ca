import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { KeyChoice, keysToRevoke } from './key-choice.tsx'
import { LostInvitations, useLostInvitations } from './lost-invitations.tsx'

/** Removes a member, and the API keys that they created. */
export function RemoveMember({ member, onClose }: { member: AppSchemas['Member']; onClose: () => void }) {
  const { userId, name, email } = member
  const { organization, app, refresh } = useOrganization()
  const [kept, setKept] = useState<readonly string[]>([])
  const path = { userId }
  const keys = useGet('key', '/app/api/members/{userId}/keys', { path, staleTime: 0 })
  const lost = useLostInvitations(userId)?.(null)
  const remove = async () => {
    const body = { revokeKeys: keysToRevoke(keys.data?.data ?? [], kept) }
    const { revokedKeys } = await app.DELETE('/app/api/members/{userId}', { path, body })
    await refresh('member', 'key', 'invitation')
    const revoked =
      revokedKeys.length === 0 ? '' : t('; {length} revoked', { length: plural(revokedKeys.length, 'API key') })
    showToast(t('{name} is no longer a member{revoked}', { name, revoked }))
  }
  return (
    <Confirm
      title={t('Remove {name}?', { name })}
      action={t('Remove')}
      disabled={keys.data === undefined || lost === undefined}
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="space-y-4">
        <p>
          {tx('{email} loses access to {name} immediately. What they created stays, and they keep their account.', {
            email,
            name: organization.name,
          })}
        </p>
        {lost && <LostInvitations invitations={lost} />}
        <QueryResult query={keys} lines={2}>
          {({ data }) =>
            data.length === 0 ? (
              <p>{t('They have no active API keys.')}</p>
            ) : (
              <KeyChoice
                keys={data}
                kept={kept}
                onKept={setKept}
                label={t('API keys created by {name}', { name })}
                warning={t('Unselected keys keep working, and {name} may have a copy.', { name })}
              />
            )
          }
        </QueryResult>
      </div>
    </Confirm>
  )
}
