import type { PublicSchemas } from '../../api/client.ts'
import { dayOf } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { ExpiryBar } from './expiry-bar.tsx'
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
                <CertificateFacts certificate={certificate} seenAt={details?.seenAt ?? null} />
              </details>
            </>
          ) : (
            <CertificateFacts certificate={certificate} seenAt={details?.seenAt ?? null} />
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
      <p>{names.slice(0, FIRST_NAMES).join(', ')}</p>
      {more.length > 0 && (
        <details>
          <summary class="touch cursor-pointer text-muted">
            {tx('{value} more', { value: count - FIRST_NAMES })}
          </summary>
          <p>
            {more.join(', ')}
            {count > names.length && t(' and {value} others', { value: count - names.length })}
          </p>
        </details>
      )}
    </>
  )
}
