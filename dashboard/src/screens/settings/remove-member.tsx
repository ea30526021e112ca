import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural } from '../../lib/format.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { KeyChoice, keysToRevoke } from './key-choice.tsx'

/** Removes a member, and the API keys that they created. */
export function RemoveMember({ member, onClose }: { member: AppSchemas['Member']; onClose: () => void }) {
  const { userId, name, email } = member
  const { organization, app, key, refresh } = useOrganization()
  const [kept, setKept] = useState<readonly string[]>([])
  const params = { path: { userId } }
  const keys = useQuery({
    queryKey: key('key', 'of', userId),
    queryFn: () => unwrap(app.GET('/app/api/members/{userId}/keys', { params })),
    staleTime: 0,
  })
  const remove = async () => {
    const body = { revokeKeys: keysToRevoke(keys.data?.data ?? [], kept) }
    const { revokedKeys } = await unwrap(app.DELETE('/app/api/members/{userId}', { params, body }))
    await refresh('member', 'key')
    const revoked = revokedKeys.length === 0 ? '' : `; ${plural(revokedKeys.length, 'API key')} revoked`
    showToast(`${name} is no longer a member${revoked}`)
  }
  return (
    <Confirm
      title={`Remove ${name}?`}
      action="Remove"
      disabled={keys.data === undefined}
      onConfirm={remove}
      onClose={onClose}
    >
      <div class="space-y-4">
        <p>
          {email} loses access to {organization.name} immediately. What they created stays, and they keep their account.
        </p>
        <QueryResult query={keys} lines={2}>
          {({ data }) =>
            data.length === 0 ? (
              <p>They have no active API keys.</p>
            ) : (
              <KeyChoice
                {...{ keys: data, kept, onKept: setKept }}
                label={`API keys created by ${name}`}
                warning={`Unselected keys keep working, and ${name} may have a copy.`}
              />
            )
          }
        </QueryResult>
      </div>
    </Confirm>
  )
}
