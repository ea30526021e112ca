import { BellOff } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/button.tsx'

type Coverage = PublicSchemas['AlertCoverage']

/**
 * Warns that nobody would be alerted if a monitor went down: any of them, or the given one. Without a monitor it also names
 * failing contacts.
 */
export function AlertBanner({ monitorId }: { monitorId?: string }) {
  const { may } = useOrganization()
  const isOne = monitorId !== undefined
  const query = isOne ? { monitorId } : {}
  const { data } = useGet('contact', '/api/v1/alert-coverage', { query })
  if (data === undefined || (data.uncovered === 0 && (isOne || data.failing.length === 0))) return null
  const { href, label } = fixFor(data)
  const isListed = !isOne && data.contacts === 'USABLE' && data.uncovered > 0
  return (
    <aside
      aria-label={t('Missing alerts')}
      class="mb-6 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border border-degraded bg-surface px-4 py-3"
    >
      <BellOff size={20} class="shrink-0 text-degraded-text" />
      <div class="min-w-0 grow basis-64">
        <p class="font-semibold">
          {titleOf(data, isOne)}
          {isListed && (
            <>
              {' · '}
              <Link href="/monitors?uncovered=true" class="link">
                {data.uncovered === 1 ? t('Show it') : t('Show them')}
              </Link>
            </>
          )}
        </p>
        <p class="text-muted wrap-anywhere">
          {may('MEMBER') ? reasonOf(data) : t('Ask a member or admin to set up alerts.')}
        </p>
      </div>
      {may('MEMBER') && (
        <LinkButton href={href} look="primary">
          {label}
        </LinkButton>
      )}
    </aside>
  )
}

function titleOf({ uncovered, contacts, failing }: Coverage, isOne: boolean): string {
  if (isOne) return t('Nobody is alerted if this monitor goes down')
  if (uncovered === 0) return plural(failing.length, 'alert contact is failing', 'alert contacts are failing')
  if (contacts !== 'USABLE') return t('Nobody is alerted if a monitor goes down')
  return plural(uncovered, 'monitor has no alert contact', 'monitors have no alert contact')
}

function reasonOf({ contacts, uncovered, failing }: Coverage): string {
  switch (contacts) {
    case 'NONE':
      return t('There is no alert contact yet.')
    case 'UNCONFIRMED':
      return t('The e-mail address of your alert contact is not confirmed. Check the inbox, or resend the e-mail.')
    case 'DISABLED':
      return t('All alert contacts are disabled.')
    case 'NO_OUTAGES':
      return t('No alert contact receives alerts when a monitor goes down.')
    default:
      if (failing.length > 0) return failing.map(failureOf).join(' ')
      return uncovered === 1 ? t('Your alert contacts don’t cover it.') : t('Your alert contacts don’t cover them.')
  }
}

/** A sentence. */
function failureOf({ name, problem, lastError }: Coverage['failing'][number]): string {
  if (problem === 'NOT_CONFIGURED')
    return t('{name} gets no alerts: E-mail isn’t set up on this installation.', { name })
  return t('{name} gets no alerts: {lastError}.', { name, lastError: (lastError ?? '').replace(/\.$/, '') })
}

function fixFor({ contacts, monitors, uncovered }: Coverage): { href: string; label: string } {
  if (contacts === 'NONE') return { href: '/settings/contacts?new', label: t('Add alert contact') }
  const [only] = monitors
  if (contacts === 'USABLE' && uncovered === 1 && only !== undefined) {
    return { href: `/monitors/${only.id}/edit`, label: t('Choose contacts') }
  }
  return { href: '/settings/contacts', label: t('Alert contacts') }
}
