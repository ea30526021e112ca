import { Ellipsis, Send } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useContacts } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { separated, shortTime } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { labelOf, type Schema, STORED_SECRET, shownSettings } from './channel-fields.tsx'
import { EditContact, NewContact, notConfiguredText, useChannels } from './contact-forms.tsx'
import { describeKinds } from './kinds-field.tsx'
import { Facts, Row, Rows, Tag } from './rows.tsx'

type Contact = PublicSchemas['Contact']

/** Alert contacts and their delivery status. */
export default function Contacts() {
  const { may } = useOrganization()
  const [search] = useSearchState()
  const [isCreating, setCreating] = useState(search.get('new') !== null)
  const contacts = useContacts()
  const channels = useChannels()
  const newButton = may('MEMBER') && (
    <Button look="primary" onClick={() => setCreating(true)}>
      {t('New alert contact')}
    </Button>
  )
  return (
    <Page title={t('Alert contacts')} lead={t('Where alerts are sent when a monitor goes down.')} actions={newButton}>
      <QueryResult query={contacts}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title={t('No alert contacts yet')} action={newButton}>
              {t('Get alerts by e-mail, chat, pager or webhook.')}
            </EmptyState>
          ) : (
            <Rows label={t('Alert contacts')}>
              {data.map((contact) => (
                <ContactRow key={contact.id} contact={contact} schema={schemaOf(contact, channels.data?.data)} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      {isCreating && may('MEMBER') && <NewContact onClose={() => setCreating(false)} />}
    </Page>
  )
}

function ContactRow({ contact, schema }: { contact: Contact; schema: Schema }) {
  const { may } = useOrganization()
  const { name, problem, confirmed, failingSince, lastError, lastSentAt, kinds, settings } = contact
  return (
    <Row
      title={
        <>
          {name} <Tag>{channelLabel(contact.channel)}</Tag>
          {problem === 'DISABLED' && <Tag tone="warn">{t('Disabled')}</Tag>}
          {problem === 'NOT_CONFIGURED' && <Tag tone="bad">{t('Not set up')}</Tag>}
          {!confirmed && <Tag tone="warn">{t('Not confirmed')}</Tag>}
          {problem === 'FAILING' && <Tag tone="bad">{t('Failing')}</Tag>}
        </>
      }
      details={
        <>
          <p class="font-mono text-xs">{inOneLine(schema, settings)}</p>
          <Facts>
            {[
              describeKinds(kinds),
              describeCoverage(contact),
              lastSentAt === null
                ? t('nothing sent yet')
                : tx('last sent {time}', { time: <RelativeTime at={lastSentAt} /> }),
            ]}
          </Facts>
          {problem === 'NOT_CONFIGURED' && <p class="text-down-text">{notConfiguredText()}</p>}
          {!confirmed && <WaitingText contact={contact} />}
          {failingSince !== null && (
            <p class="text-down-text">
              {tx('Failing since {failingSince}: {lastError}', { failingSince: shortTime(failingSince), lastError })}
            </p>
          )}
        </>
      }
      actions={may('MEMBER') && <Actions contact={contact} />}
    />
  )
}

function describeCoverage({ covers, selector }: Contact): string {
  if (covers === 'LABELS') return t('monitors with {selector}', { selector: selector ?? '' })
  return covers === 'ALL' ? t('all monitors') : t('selected monitors')
}

function WaitingText({ contact: { confirmationSentAt } }: { contact: Contact }) {
  return (
    <p class="text-degraded-text">
      {t('This contact receives no alerts until its address is confirmed.')}{' '}
      {confirmationSentAt === null
        ? t('No confirmation e-mail sent yet.')
        : tx('Confirmation e-mail sent {time}; the link is valid for 7 days.', {
            time: <RelativeTime at={confirmationSentAt} />,
          })}
    </p>
  )
}

function schemaOf({ channel }: Contact, channels: readonly PublicSchemas['ContactChannel'][] = []): Schema {
  return channels.find(({ name }) => name === channel)?.settings ?? {}
}

function inOneLine(schema: Schema, settings: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(shownSettings(schema, settings))
  const [first] = entries
  if (first !== undefined && entries.length === 1 && first[1] !== STORED_SECRET) return first[1]
  return separated(entries.map(([name, value]) => `${labelOf(name)}: ${value}`))
}

function Actions({ contact }: { contact: Contact }) {
  const { id, name, enabled, confirmed } = contact
  const { api, refresh } = useOrganization()
  const [isTesting, setTesting] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const path = { contactId: id }
  const attempt = async (work: () => Promise<string>) => {
    showToast(await work().catch((problem: Error) => problem.message))
    await refresh('contact')
  }
  const test = async () => {
    const { sent } = await api.POST('/api/v1/contacts/{contactId}/test', { path })
    // The row now shows the error.
    return sent ? t('Test sent to {name}', { name }) : t('Test to {name} failed', { name })
  }
  const resend = async () => {
    const now = await api.POST('/api/v1/contacts/{contactId}/confirmation', { path })
    return now.confirmed ? t('{name} confirmed', { name }) : t('Confirmation e-mail sent')
  }
  const send = async () => {
    setTesting(true)
    await attempt(confirmed ? test : resend)
    setTesting(false)
  }
  const toggle = async () => {
    if (enabled) await api.POST('/api/v1/contacts/{contactId}/disable', { path })
    else await api.POST('/api/v1/contacts/{contactId}/enable', { path })
    return enabled ? t('{name} disabled', { name }) : t('{name} enabled', { name })
  }
  return (
    <>
      <Button
        busy={isTesting}
        onClick={() => void send()}
        aria-label={confirmed ? t('Send test to {name}', { name }) : t('Resend confirmation to {name}', { name })}
        icon={<Send size={14} />}
      >
        {confirmed ? t('Send test') : t('Resend confirmation')}
      </Button>
      <Menu label={t('Actions for {name}', { name })} button={<Ellipsis />}>
        <MenuItem onClick={() => setEditing(true)}>{t('Edit…')}</MenuItem>
        <MenuItem onClick={() => void attempt(toggle)}>{enabled ? t('Disable') : t('Enable')}</MenuItem>
        <MenuItem danger onClick={() => setDeleting(true)}>
          {t('Delete…')}
        </MenuItem>
      </Menu>
      {isEditing && <EditContact contact={contact} onClose={() => setEditing(false)} />}
      {isDeleting && <Delete id={id} name={name} onClose={() => setDeleting(false)} />}
    </>
  )
}

function Delete({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const remove = async () => {
    await api.DELETE('/api/v1/contacts/{contactId}', { path: { contactId: id } })
    await refresh('contact', 'monitor')
    showToast(t('{name} deleted', { name }))
  }
  return (
    <Confirm title={t('Delete {name}?', { name })} action={t('Delete')} onConfirm={remove} onClose={onClose}>
      {t('It stops receiving alerts, and its delivery history is deleted.')}
    </Confirm>
  )
}
