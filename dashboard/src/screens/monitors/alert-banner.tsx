import { useQuery } from '@tanstack/preact-query'
import { BellOff } from 'lucide-preact'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/button.tsx'

type Coverage = PublicSchemas['AlertCoverage']

/** Warns that nobody would be alerted if a monitor went down: any of them, or the given one. */
export function AlertBanner({ monitorId }: { monitorId?: string }) {
  const { api, key, may } = useOrganization()
  const query = monitorId === undefined ? {} : { monitorId }
  const { data } = useQuery({
    queryKey: key('contact', 'coverage', monitorId ?? 'all'),
    queryFn: () => unwrap(api.GET('/api/v1/alert-coverage', { params: { query } })),
  })
  if (data === undefined || data.uncovered === 0) return null
  const { href, label } = fixFor(data)
  return (
    <aside
      aria-label={t('Missing alerts')}
      class="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border border-degraded bg-surface px-4 py-3"
    >
      <BellOff size={20} class="shrink-0 text-degraded-text" aria-hidden="true" />
      <div class="min-w-0 grow basis-64">
        <p class="font-semibold">{titleOf(data, monitorId !== undefined)}</p>
        <p class="text-muted">{may('MEMBER') ? reasonOf(data) : t('Ask a member or admin to set up alerts.')}</p>
      </div>
      {may('MEMBER') && (
        <LinkButton href={href} look="primary">
          {label}
        </LinkButton>
      )}
    </aside>
  )
}

function titleOf({ uncovered, monitors, contacts }: Coverage, isOne: boolean): string {
  if (isOne) return t('Nobody is alerted if this monitor goes down')
  if (contacts !== 'USABLE') return t('Nobody is alerted if a monitor goes down')
  const names = monitors.map(({ name }) => name).join(', ')
  if (uncovered <= monitors.length)
    return uncovered === 1
      ? t('Nobody is alerted if {name} goes down', { name: names })
      : t('Nobody is alerted if these go down: {names}', { names })
  return t('Nobody is alerted if some monitors go down, for example {names} ({count})', {
    names,
    count: plural(uncovered, 'monitor'),
  })
}

function reasonOf({ contacts, uncovered }: Coverage): string {
  switch (contacts) {
    case 'NONE':
      return t('There is no alert contact yet.')
    case 'UNCONFIRMED':
      return t('The e-mail address of your alert contact is not confirmed. Check the inbox, or resend the e-mail.')
    case 'DISABLED':
      return t('All alert contacts are disabled.')
    case 'NO_OUTAGES':
      return t('No alert contact receives alerts when a monitor goes down.')
    case 'USABLE':
      return uncovered === 1 ? t('Your alert contacts don’t cover it.') : t('Your alert contacts don’t cover them.')
  }
}

function fixFor({ contacts, monitors, uncovered }: Coverage): { href: string; label: string } {
  if (contacts === 'NONE') return { href: '/settings/contacts?new', label: t('Add alert contact') }
  const [only] = monitors
  if (contacts === 'USABLE' && uncovered === 1 && only !== undefined) {
    return { href: `/monitors/${only.id}/edit`, label: t('Choose contacts') }
  }
  return { href: '/settings/contacts', label: t('Alert contacts') }
}
