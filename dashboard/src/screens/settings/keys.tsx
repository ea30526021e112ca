import { Ellipsis } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { AppSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { NewKey, ReplaceKey } from './new-key.tsx'
import { Facts, Row, Rows, Tag } from './rows.tsx'

type Key = AppSchemas['Key']
type OpenDialog = { readonly action: 'replace' | 'revoke'; readonly apiKey: Key }

/** API keys. A key is shown once, when it is created. */
export default function Keys() {
  const [isCreating, setCreating] = useState(false)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const keys = useGet('key', '/app/api/keys')
  const newButton = (
    <Button look="primary" onClick={() => setCreating(true)}>
      {t('New API key')}
    </Button>
  )
  const close = () => setDialog(null)
  return (
    <Page title={t('API keys')} lead={t('Keys for scripts and integrations')} actions={newButton}>
      <p class="mb-4">
        <a class="link" href="/docs" target="_blank" rel="noopener">
          {t('API reference')}
        </a>
      </p>
      <QueryResult query={keys}>
        {({ data }) => {
          const usable = data.filter(({ status }) => status === 'active' || status === 'disabled')
          const ended = data.filter(({ status }) => status === 'expired' || status === 'revoked')
          return (
            <div class="space-y-6">
              {usable.length === 0 ? (
                <EmptyState title={t('No API keys yet')} action={newButton}>
                  {t('Create a key for scripts and integrations that use the API.')}
                </EmptyState>
              ) : (
                <Rows label={t('API keys')}>
                  {usable.map((one) => (
                    <KeyRow key={one.id} apiKey={one} onAction={(action) => setDialog({ action, apiKey: one })} />
                  ))}
                </Rows>
              )}
              {ended.length > 0 && <EndedKeys keys={ended} />}
            </div>
          )
        }}
      </QueryResult>
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      {dialog?.action === 'replace' && <ReplaceKey apiKey={dialog.apiKey} onClose={close} />}
      {dialog?.action === 'revoke' && <Revoke apiKey={dialog.apiKey} onClose={close} />}
    </Page>
  )
}

function EndedKeys({ keys }: { keys: readonly Key[] }) {
  return (
    <details>
      <summary class="touch cursor-pointer py-1 text-muted">
        {tx('Revoked and expired ({length})', { length: keys.length })}
      </summary>
      <div class="mt-2">
        <Rows label={t('Revoked and expired API keys')}>
          {keys.map((one) => (
            <KeyRow key={one.id} apiKey={one} />
          ))}
        </Rows>
      </div>
    </details>
  )
}

const tones = { active: 'good', disabled: 'warn', expired: 'plain', revoked: 'plain' } as const
const words = { active: t('Active'), disabled: t('Disabled'), expired: t('Expired'), revoked: t('Revoked') } as const

function KeyRow({ apiKey, onAction }: { apiKey: Key; onAction?: (action: OpenDialog['action']) => void }) {
  const { name, hint, access, status, expiresAt, lastUsedAt, lastUsedAddress, createdBy, createdAt } = apiKey
  const isLive = status === 'active' || status === 'disabled'
  return (
    <Row
      title={
        <>
          {name} <code class="font-mono text-xs font-normal text-muted">…{hint}</code>
          <Tag tone={tones[status]}>{words[status]}</Tag>
          {isLive && createdBy?.isMember === false && <Tag tone="warn">{t('Creator is no longer a member')}</Tag>}
        </>
      }
      details={
        <Facts>
          {[
            access === 'full' ? t('Full access') : t('Read-only'),
            tx('created {time}{value}', {
              time: <RelativeTime at={createdAt} />,
              value: createdBy && t(' by {name}', { name: createdBy.name }),
            }),
            expiresAt === null
              ? t('never expires')
              : status === 'expired'
                ? tx('expired {time}', { time: <RelativeTime at={expiresAt} upcoming /> })
                : tx('expires {time}', { time: <RelativeTime at={expiresAt} upcoming /> }),
          ]}
        </Facts>
      }
      aside={
        <>
          {tx('Last used: {time}', { time: <RelativeTime at={lastUsedAt} /> })}
          {lastUsedAddress && <span class="block text-xs">{tx('from {lastUsedAddress}', { lastUsedAddress })}</span>}
        </>
      }
      actions={onAction && <Actions apiKey={apiKey} onAction={onAction} />}
    />
  )
}

function Actions({
  apiKey: { id, name, status },
  onAction,
}: {
  apiKey: Key
  onAction: (action: OpenDialog['action']) => void
}) {
  const { app, refresh } = useOrganization()
  const toggle = async () => {
    const path = { keyId: id }
    const done =
      status === 'active'
        ? app.POST('/app/api/keys/{keyId}/disable', { path })
        : app.POST('/app/api/keys/{keyId}/enable', { path })
    await done.then(
      () => showToast(status === 'active' ? t('{name} disabled', { name }) : t('{name} enabled', { name })),
      (problem: Error) => showToast(problem.message),
    )
    await refresh('key')
  }
  return (
    <Menu label={t('Actions for {name}', { name })} button={<Ellipsis />}>
      <MenuItem onClick={() => void toggle()}>{status === 'active' ? t('Disable') : t('Enable')}</MenuItem>
      <MenuItem onClick={() => onAction('replace')}>{t('Replace…')}</MenuItem>
      <MenuItem danger onClick={() => onAction('revoke')}>
        {t('Revoke…')}
      </MenuItem>
    </Menu>
  )
}

function Revoke({ apiKey: { id, name, lastUsedAt, lastUsedAddress }, onClose }: { apiKey: Key; onClose: () => void }) {
  const { app, refresh } = useOrganization()
  const revoke = async () => {
    await app.DELETE('/app/api/keys/{keyId}', { path: { keyId: id } })
    await refresh('key')
    showToast(t('{name} revoked', { name }))
  }
  return (
    <Confirm title={t('Revoke {name}?', { name })} action={t('Revoke')} onConfirm={revoke} onClose={onClose}>
      {t('Revoking is permanent. Anything that uses this key stops working.')}{' '}
      {lastUsedAt === null
        ? t('It was never used.')
        : tx('It was last used {time}{value}.', {
            time: <RelativeTime at={lastUsedAt} />,
            value: lastUsedAddress && t(' from {lastUsedAddress}', { lastUsedAddress }),
          })}{' '}
      {t('To switch keys without downtime, replace it instead.')}
    </Confirm>
  )
}
