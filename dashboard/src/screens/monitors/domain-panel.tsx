import type { PublicSchemas } from '../../api/client.ts'
import { dayOf } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { ExpiryBar } from './expiry-bar.tsx'
import { Fact, Facts } from './facts.tsx'

interface DomainPanelProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly details: PublicSchemas['MonitorDetails'] | undefined
}

/** The registration that the last lookup found. */
export function DomainPanel({ monitor, details }: DomainPanelProps) {
  if (details === undefined) return null
  const { domain } = details
  const expiresAt = domain?.expiresAt ?? monitor.certExpiresAt
  if (domain === null && expiresAt === null) {
    return (
      <Section title={t('Registration')}>
        <p class="card px-4 py-8 text-center text-muted">
          {t('No successful lookup yet. The registration appears after the first one.')}
        </p>
      </Section>
    )
  }
  return (
    <Section title={t('Registration')}>
      <div class="card space-y-3 p-4">
        {expiresAt === null ? (
          <p class="text-base font-semibold">{t('Registered; the registry publishes no expiry date')}</p>
        ) : (
          // The registry does not say when the current term began, so there is no bar.
          <ExpiryBar from={null} to={expiresAt} warnDays={monitor.sslExpiryThresholdDays} />
        )}
        {domain !== null && <RegistrationFacts domain={domain} />}
      </div>
    </Section>
  )
}

function RegistrationFacts({ domain }: { domain: NonNullable<PublicSchemas['DomainFound']> }) {
  const { name, registrar, registeredAt, expiresAt, nameServers, source, lookedUpAt } = domain
  return (
    <Facts>
      <Fact name={t('Domain')}>{name}</Fact>
      <Fact name={t('Registrar')}>{registrar ?? t('Not published')}</Fact>
      <Fact name={t('Registered')}>{registeredAt === null ? t('Not published') : dayOf(registeredAt)}</Fact>
      <Fact name={t('Expires')}>{expiresAt === null ? t('Not published') : dayOf(expiresAt)}</Fact>
      <Fact name={t('Name servers')}>
        {nameServers.length === 0 ? (
          t('Not published')
        ) : (
          <ul>
            {nameServers.map((server) => (
              <li key={server}>{server}</li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name={t('Source')}>{source}</Fact>
      <Fact name={t('Last lookup')}>
        <RelativeTime at={lookedUpAt} />
      </Fact>
    </Facts>
  )
}
