import { keepPreviousData } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../../api/client.ts'
import { useGet } from '../../../api/get.ts'
import { duration, shortTime } from '../../../lib/format.ts'
import { t, tx } from '../../../lib/i18n.ts'
import { sentenceOf, sentencesOf } from '../../../lib/reasons.ts'
import { Pager } from '../../../ui/pager.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { Facts, Row, Rows, Tag } from '../rows.tsx'
import { reasonTexts, toolNames } from './labels.ts'

type ShadowRun = PublicSchemas['ShadowRun']
type Disagreement = PublicSchemas['ShadowDisagreement']

const LIMIT = 25

/** What the two disagree about, with what Pharos saw. */
export function Disagreements({ run }: { run: ShadowRun }) {
  const [offset, setOffset] = useState(0)
  const list = useGet(['shadow_run', run.id], '/api/v1/shadow-runs/{shadowRunId}/disagreements', {
    path: { shadowRunId: run.id },
    query: { limit: LIMIT, offset },
    placeholderData: keepPreviousData,
  })
  return (
    <QueryResult query={list}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          <p class="card p-4 text-muted">
            {run.agreement === null ? t('Disagreements appear here.') : t('No disagreements so far')}
          </p>
        ) : (
          <>
            <Rows label={t('Disagreements')}>
              {data.map((one) => (
                <DisagreementRow key={`${one.monitor?.id} ${one.startedAt}`} one={one} tool={toolNames[run.tool]} />
              ))}
            </Rows>
            <Pager {...pagination} onOffset={setOffset} />
          </>
        )
      }
    </QueryResult>
  )
}

function DisagreementRow({ one, tool }: { one: Disagreement; tool: string }) {
  const { monitor, reason, startedAt, endedAt, incidentId, cause } = one
  const { title, text } = reasonTexts(tool)[reason]
  const lasted = endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return (
    <Row
      title={
        <>
          {monitor === null ? (
            tool
          ) : (
            <Link href={`/monitors/${monitor.id}`} class="wrap-anywhere hover:underline">
              {monitor.name}
            </Link>
          )}
          <Tag tone={isSerious(reason) ? 'warn' : 'plain'}>{title}</Tag>
        </>
      }
      details={
        <>
          <p>{text}</p>
          {cause !== null && <p>{tx('We saw: {cause}', { cause: sentenceOf(one, 'cause') })}</p>}
          {sentencesOf(one, 'summary').map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <Facts>
            {[
              shortTime(startedAt),
              lasted === null ? t('ongoing') : duration(lasted),
              incidentId !== null && (
                <Link href={`/incidents/${incidentId}`} class="link">
                  {t('Incident with evidence')}
                </Link>
              ),
            ]}
          </Facts>
        </>
      }
    />
  )
}

/** Somebody should look at it: one of the two may be wrong. */
function isSerious(reason: Disagreement['reason']): boolean {
  return reason === 'ONLY_THERE' || reason === 'ONLY_HERE' || reason === 'LATER_HERE' || reason === 'HEARTBEAT'
}
