import type { UseQueryResult } from '@tanstack/preact-query'
import type { PublicSchemas } from '../../api/client.ts'
import { exactTime, separated } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

interface DnsRecordsProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly details: UseQueryResult<PublicSchemas['MonitorDetails'], unknown>
}

/** Records of the last check, and how they changed. */
export function DnsRecords({ monitor, details }: DnsRecordsProps) {
  return (
    <QueryResult query={details}>
      {({ dns }) => (
        <>
          <Section
            title={t('{dnsRecordType} records', { dnsRecordType: monitor.dnsRecordType })}
            lead={t('From the last successful lookup')}
          >
            {dns === null || dns.records.length === 0 ? (
              <p class="card px-4 py-8 text-center text-muted">{t('No records found yet.')}</p>
            ) : (
              <ul class="card divide-y divide-line">
                {dns.records.map((record) => (
                  <li key={record} class="flex items-center gap-2 px-4 py-1">
                    <code class="min-w-0 grow break-all">{record}</code>
                    <CopyButton text={record} label={t('Copy {record}', { record: record.slice(0, 60) })} />
                  </li>
                ))}
              </ul>
            )}
          </Section>
          <Section
            title={t('Record changes')}
            lead={
              monitor.dnsAlertOnChange
                ? t('Newest first. You get an alert for each change.')
                : t('Newest first. Alerts for changes are off.')
            }
          >
            {dns === null || dns.changes.length === 0 ? (
              <p class="card px-4 py-8 text-center text-muted">{t('No changes since monitoring started.')}</p>
            ) : (
              <Changes changes={dns.changes} />
            )}
          </Section>
        </>
      )}
    </QueryResult>
  )
}

function Changes({ changes }: { changes: NonNullable<PublicSchemas['RecordsFound']>['changes'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <ol class="card max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={t('Record changes')}>
      {changes.map(({ at, added, removed }, i) => (
        <li key={`${at} ${i}`} class="px-4 py-2">
          <p class="flex flex-wrap justify-between gap-x-3">
            <time dateTime={at} class="font-medium">
              {exactTime(at)}
            </time>
            <span class="text-muted">{summary(added.length, removed.length)}</span>
          </p>
          <ul class="mt-1">
            {added.map((value) => (
              <Value key={value} sign="+" word={t('Added')} value={value} class="text-up-text" />
            ))}
            {removed.map((value) => (
              <Value key={value} sign="−" word={t('Removed')} value={value} class="text-down-text" />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}

function summary(added: number, removed: number): string {
  const parts = [
    added > 0 && t('{added} added', { added: plural(added, 'record') }),
    removed > 0 && t('{removed} removed', { removed }),
  ]
  return separated(parts.filter((part) => part !== false))
}

function Value({ sign, word, value, class: colour }: { sign: string; word: string; value: string; class: string }) {
  return (
    <li class={`flex gap-2 ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="sr-only">{word}</span>
      <code class="min-w-0 break-all">{value}</code>
    </li>
  )
}
