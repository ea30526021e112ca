import Type from 'typebox'
import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import { detailsOf } from '../monitor-details/store.ts'
import type { StoredDetails } from '../monitor-details/types.ts'
import { type TimingColumns, timingColumns, timingIn } from '../monitor-settings/stored.ts'
import { readMemory } from '../monitor-states/memory.ts'
import { heartbeatDeadline } from '../monitor-states/schedule.ts'
import { monitorsWithStates } from './queries.ts'
import { MonitorParams } from './schema.ts'

const Time = nullable(Timestamp)
const Text = nullable(Type.String())
const Texts = Type.Array(Type.String())

const CertificateFound = resource('CertificateFound', {
  subject: Type.String(),
  issuer: Type.String(),
  names: Type.Array(Type.String(), { description: 'At most 100' }),
  nameCount: Type.Integer(),
  serial: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256' }),
  validFrom: Time,
  validTo: Time,
  protocol: nullable(Type.String(), { description: 'Such as TLSv1.3' }),
  chain: Type.Array(Type.Object({ subject: Type.String(), issuer: Type.String(), validTo: Time }), {
    description: 'The certificates that the server sent after its own',
  }),
})

const DomainFound = resource('DomainFound', {
  name: Type.String(),
  registrar: Text,
  registeredAt: Time,
  expiresAt: Time,
  nameServers: Texts,
  source: oneOf(['RDAP', 'WHOIS']),
  lookedUpAt: Timestamp,
})

const RecordsFound = resource('RecordsFound', {
  records: Texts,
  changes: Type.Array(resource('RecordsChange', { at: Timestamp, added: Texts, removed: Texts }), {
    description: 'At most 50, newest first',
  }),
})

const HeartbeatSchedule = resource('HeartbeatSchedule', {
  lastHeartbeatAt: Time,
  expectedAt: nullable(Timestamp, { description: 'Null before the first heartbeat and while paused' }),
  overdueAt: nullable(Timestamp, { description: 'The expected time and the grace period' }),
  cron: nullable(Type.String(), { description: 'The cron schedule; null if the job is expected by its period' }),
  timezone: nullable(Type.String()),
})

const MonitorDetails = resource('MonitorDetails', {
  seenAt: nullable(Timestamp, { description: 'When the rest was stored; null if nothing is stored' }),
  certificate: nullable(CertificateFound),
  domain: nullable(DomainFound),
  dns: nullable(RecordsFound),
  schedule: nullable(HeartbeatSchedule),
})

export const getMonitorDetails = operation({
  id: 'getMonitorDetails',
  extension: true,
  method: 'GET',
  access: 'read',
  tag: 'Insight',
  errors: ['not_found'],
  path: '/monitors/:monitorId/details',
  summary: 'Get the certificate, registration, DNS records or schedule of a monitor',
  description: 'What the last checks found, by type; for CRON monitors, when the next heartbeat is expected.',
  params: MonitorParams,
  answer: { status: 200, schema: MonitorDetails, description: 'Null if the type has no such details' },
  *handle({ caller: { orgId }, now }, { params }) {
    const [monitor] = yield* execute(
      monitorsWithStates()
        .select(['m.num', ...timingColumns, 's.memory', 's.state'])
        .where('m.org_id', '=', orgId)
        .where('m.id', '=', params.monitorId),
    )
    if (monitor === undefined) throw notFound('monitor')
    const { num, type } = monitor
    if (type === 'CRON') {
      const heartbeats = q.selectFrom('heartbeats').select('at').where('num', '=', num).where('org_id', '=', orgId)
      const [last] = yield* execute(heartbeats.orderBy('id', 'desc').limit(1))
      return {
        ...nothing,
        schedule: { lastHeartbeatAt: isoTimestampOrNull(last?.at), ...dueTimes(monitor, now) },
      }
    }
    const stored = yield* detailsOf(orgId, num)
    if (stored === undefined) return nothing
    return { ...nothing, seenAt: isoTimestamp(stored.at), ...rendered(stored.details) }
  },
})

const nothing = { seenAt: null, certificate: null, domain: null, dns: null, schedule: null }

function dueTimes({ memory, state, ...row }: TimingColumns & { memory: string; state: string }, now: number) {
  const timing = timingIn(row)
  const { heartbeats } = readMemory(memory, now)
  const overdueAt = state === 'PAUSED' ? null : heartbeatDeadline(timing, heartbeats)
  const expectedAt = overdueAt === null ? null : overdueAt - timing.graceSeconds * SECOND_MS
  const { cron = null, timezone = null } = timing.schedule ?? {}
  return { expectedAt: isoTimestampOrNull(expectedAt), overdueAt: isoTimestampOrNull(overdueAt), cron, timezone }
}

function rendered(details: StoredDetails) {
  switch (details.kind) {
    case 'certificate': {
      const { kind: _kind, names, validFrom, validTo, chain, ...rest } = details
      return {
        certificate: {
          ...rest,
          names: [...names],
          validFrom: isoTimestampOrNull(validFrom),
          validTo: isoTimestampOrNull(validTo),
          chain: chain.map((one) => ({ ...one, validTo: isoTimestampOrNull(one.validTo) })),
        },
      }
    }
    case 'domain': {
      const { kind: _kind, nameServers, registeredAt, expiresAt, lookedUpAt, ...rest } = details
      return {
        domain: {
          ...rest,
          nameServers: [...nameServers],
          registeredAt: isoTimestampOrNull(registeredAt),
          expiresAt: isoTimestampOrNull(expiresAt),
          lookedUpAt: isoTimestamp(lookedUpAt),
        },
      }
    }
    case 'dns':
      return {
        dns: {
          records: [...details.records],
          changes: details.changes.map(({ at, added, removed }) => {
            return { at: isoTimestamp(at), added: [...added], removed: [...removed] }
          }),
        },
      }
  }
}
