import type { PublicSchemas } from '../../api/client.ts'
import { dayOf, duration, separated } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { Fact, Facts } from './facts.tsx'

interface CertificatePanelProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly details: PublicSchemas['MonitorDetails'] | undefined
  /** In the sidebar: the expiry, and the rest on demand. */
  readonly compact?: boolean
}

/** The certificate that the last check saw. */
export function CertificatePanel({ monitor, details, compact = false }: CertificatePanelProps) {
  const certificate = details?.certificate ?? null
  const { certExpiresAt, sslExpiryThresholdDays: warnDays } = monitor
  const validTo = certificate?.validTo ?? certExpiresAt
  // A web monitor without https has no certificate; an SSL monitor has none before its first check.
  if (validTo === null && certificate === null) {
    return compact || details === undefined ? null : (
      <Section title={t('Certificate')}>
        <p class="card px-4 py-8 text-center text-muted">
          {t('No certificate seen yet. It appears after the first check.')}
        </p>
      </Section>
    )
  }
  const facts = certificate && <CertificateFacts certificate={certificate} seenAt={details?.seenAt ?? null} />
  return (
    <Section title={t('Certificate')}>
      <div class="card space-y-3 p-4">
        {validTo !== null && <ExpiryBar from={certificate?.validFrom ?? null} to={validTo} warnDays={warnDays} />}
        {certificate !== null &&
          (compact ? (
            <>
              <p>{tx('Issued by {part}', { part: <span class="font-medium">{certificate.issuer}</span> })}</p>
              <details>
                <summary class="touch cursor-pointer text-muted">{t('All details')}</summary>
                {facts}
              </details>
            </>
          ) : (
            facts
          ))}
      </div>
    </Section>
  )
}

function CertificateFacts({
  certificate,
  seenAt,
}: {
  certificate: NonNullable<PublicSchemas['CertificateFound']>
  seenAt: string | null
}) {
  const { subject, issuer, names, nameCount, serial, fingerprint, validFrom, validTo, protocol, chain } = certificate
  return (
    <Facts>
      <Fact name={t('Subject')}>{subject || t('None')}</Fact>
      <Fact name={t('Issuer')}>{issuer || t('None')}</Fact>
      <Fact name={t('Names ({count})', { count: nameCount })}>
        <Names names={names} count={nameCount} />
      </Fact>
      <Fact name={t('Valid from')}>{validFrom === null ? t('Unreadable date') : dayOf(validFrom)}</Fact>
      <Fact name={t('Valid to')}>{validTo === null ? t('Unreadable date') : dayOf(validTo)}</Fact>
      {protocol !== null && <Fact name={t('Protocol')}>{protocol.replace('TLSv', 'TLS ')}</Fact>}
      <Fact name={t('Serial number')} copy={serial}>
        <code class="break-all">{serial}</code>
      </Fact>
      <Fact name={t('SHA-256 fingerprint')} copy={fingerprint}>
        <code class="break-all">{fingerprint}</code>
      </Fact>
      <Fact name={t('Chain')}>
        {chain.length === 0 ? (
          t('The server sends no intermediate certificates.')
        ) : (
          <ol class="space-y-1">
            {chain.map((link, i) => (
              <li key={`${i} ${link.subject}`}>
                {link.subject}
                <span class="block text-xs text-muted">
                  {tx('issued by {issuer}{value}', {
                    issuer: link.issuer,
                    value: link.validTo !== null && t(', valid to {validTo}', { validTo: dayOf(link.validTo) }),
                  })}
                </span>
              </li>
            ))}
          </ol>
        )}
      </Fact>
      {seenAt !== null && (
        <Fact name={t('Last read')}>
          <RelativeTime at={seenAt} />
        </Fact>
      )}
    </Facts>
  )
}

const FIRST_NAMES = 8

function Names({ names, count }: { names: readonly string[]; count: number }) {
  if (names.length === 0) return <>{t('None')}</>
  const more = names.slice(FIRST_NAMES)
  return (
    <>
      <p>{separated(names.slice(0, FIRST_NAMES))}</p>
      {more.length > 0 && (
        <details>
          <summary class="touch cursor-pointer text-muted">
            {tx('{value} more', { value: count - FIRST_NAMES })}
          </summary>
          <p>
            {separated(more)}
            {count > names.length && t(' and {value} others', { value: count - names.length })}
          </p>
        </details>
      )}
    </>
  )
}

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

interface ExpiryBarProps {
  readonly from: string | null
  readonly to: string
  readonly warnDays: number
}

/** Time left of a certificate or registration, as text and as a bar of its whole term. */
function ExpiryBar({ from, to, warnDays }: ExpiryBarProps) {
  const now = useNow(60_000)
  const end = new Date(to).getTime()
  const leftSeconds = (end - now) / 1000
  const isOver = leftSeconds <= 0
  const isSoon = leftSeconds <= warnDays * 86_400
  const start = from === null ? null : new Date(from).getTime()
  const used = start === null || end <= start ? null : Math.min(1, Math.max(0, (now - start) / (end - start)))
  const text = isOver ? 'text-down-text' : isSoon ? 'text-degraded-text' : ''
  const fill = isOver ? 'bg-down' : isSoon ? 'bg-degraded' : 'bg-up'
  return (
    <div>
      <p class={`text-base font-semibold ${text}`}>
        {isOver
          ? t('Expired {timeLeft} ago', { timeLeft: timeLeft(-leftSeconds) })
          : t('Expires in {leftSeconds}', { leftSeconds: timeLeft(leftSeconds) })}
      </p>
      {used !== null && (
        <div class="mt-2 h-2 overflow-hidden rounded bg-line" aria-hidden="true">
          <div class={`h-2 min-w-0.5 rounded ${fill}`} style={{ inlineSize: `${used * 100}%` }} />
        </div>
      )}
      {from !== null && (
        <p class="mt-1 flex flex-wrap justify-between gap-x-3 text-xs text-muted">
          <span>{dayOf(from)}</span>
          <span>{dayOf(to)}</span>
        </p>
      )}
      <p class="mt-1 text-xs text-muted">
        {from === null && `${dayOf(to)} · `}
        {t('Alert {days} before expiry', { days: plural(warnDays, 'day') })}
      </p>
    </div>
  )
}

/** Whole days, as renewals are planned in days; hours on the last one. */
function timeLeft(seconds: number): string {
  return seconds >= 86_400 ? plural(Math.floor(seconds / 86_400), 'day') : duration(seconds)
}
