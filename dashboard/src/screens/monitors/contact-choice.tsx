import { useQuery } from '@tanstack/preact-query'
import type { PublicSchemas } from '../../api/client.ts'
import { allContacts, contactsOfMonitor } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { listOf } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { channelLabel } from '../../lib/labels.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import type { EditedMonitor } from './types.ts'

type Problem = PublicSchemas['Contact']['problem']

const unusedTexts: Readonly<Record<Exclude<Problem, null>, string>> = {
  DISABLED: t(', disabled'),
  NOT_CONFIGURED: t(', not set up'),
  UNCONFIRMED: t(', not confirmed'),
  FAILING: t(', failing'),
}

/** Why alerts do not reach a contact, for the end of a line; empty if they do. */
export function whyUnused({ problem }: { problem: Problem }): string {
  return problem === null ? '' : unusedTexts[problem]
}

/** Alerts should reach it, and do not. */
function isFailing({ problem }: { problem: Problem }): boolean {
  return problem === 'FAILING' || problem === 'NOT_CONFIGURED'
}

/** The channel of a contact, and why alerts do not reach it. */
export function ChannelNote({ contact }: { contact: Pick<PublicSchemas['Contact'], 'channel' | 'problem'> }) {
  return (
    <span class={`text-xs ${isFailing(contact) ? 'text-down-text' : 'text-muted'}`}>
      {channelLabel(contact.channel)}
      {whyUnused(contact)}
    </span>
  )
}

/** Contacts that cover labels follow the labels of the monitor. */
export function isChosenByHand({ covers }: { covers: PublicSchemas['Contact']['covers'] }): boolean {
  return covers !== 'LABELS'
}

/** Alert contacts in the form of a monitor. For a new one that copies no other, contacts that cover all monitors are preselected. */
export function useContactChoice(
  ticked: readonly string[] | null,
  onTicked: (ids: readonly string[]) => void,
  { monitorId, source }: EditedMonitor,
) {
  const { api, key } = useOrganization()
  const contacts = useQuery({
    queryKey: key('contact', 'for', monitorId ?? 'new', source ?? ''),
    queryFn: async () => {
      if (monitorId !== undefined) return contactsOfMonitor(api, monitorId)
      const copied = source === undefined ? [] : await contactsOfMonitor(api, source)
      return (await allContacts(api)).map(({ id, name, channel, problem, covers }) => {
        const isCopied = copied.find(({ contactId }) => contactId === id)?.attached
        return { contactId: id, name, channel, problem, covers, attached: covers === 'ALL', isCopied }
      })
    },
  })
  const offered = (contacts.data ?? []).filter(isChosenByHand)
  const byLabels = (contacts.data ?? []).filter((contact) => !isChosenByHand(contact) && contact.attached)
  const all: readonly { contactId: string; attached: boolean; isCopied?: boolean }[] = offered
  const before = all.filter(({ attached }) => attached).map(({ contactId }) => contactId)
  const proposed = all.filter(({ attached, isCopied }) => isCopied ?? attached).map(({ contactId }) => contactId)
  const chosen = ticked ?? proposed
  const set = async (id: string, contactId: string, isAttached: boolean) => {
    const path = { monitorId: id, contactId }
    const url = '/api/v1/monitors/{monitorId}/contacts/{contactId}'
    if (isAttached) await api.PUT(url, { path })
    else await api.DELETE(url, { path })
  }
  return {
    field:
      offered.length + byLabels.length === 0 ? null : (
        <>
          <CheckboxList
            label={t('Alert contacts')}
            options={offered.map(({ contactId, name, channel, ...state }) => ({
              id: contactId,
              name,
              note: channelLabel(channel) + whyUnused(state),
            }))}
            value={chosen}
            onValue={onTicked}
            empty={t('No alert contacts yet')}
          />
          {byLabels.length > 0 && (
            <p class="mt-1 text-xs text-muted">
              {t('Also alerted, because of the labels: {names}', { names: listOf(byLabels.map(({ name }) => name)) })}
            </p>
          )}
        </>
      ),
    /** Saves the selection. */
    async save(id: string): Promise<void> {
      for (const { contactId } of offered) {
        const isWanted = chosen.includes(contactId)
        if (isWanted !== before.includes(contactId)) await set(id, contactId, isWanted)
      }
    },
  }
}
