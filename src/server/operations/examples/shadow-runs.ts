import { deleted, type OperationExample, pageOf } from './operation-example.ts'
import * as r from './resources.ts'

const run = {
  id: 'shd_019a8c60b1a870009d8c7b6a59483727',
  tool: 'KUMA',
  url: 'https://kuma.example/metrics',
  startedAt: '2026-03-02T09:00:00.000Z',
  endsAt: '2026-03-09T09:00:00.000Z',
  endedAt: null,
  contactsEnabledAt: null,
  lastPollAt: '2026-03-04T12:00:30.000Z',
  lastError: null,
  matched: 42,
  unmatchedThere: { total: 1, names: ['Office printer (SNMP)'] },
  unmatchedHere: { total: 0, names: [] },
  agreement: 99.98,
  counts: { ONE_FAILED_TRY: 1 },
}

const disagreement = {
  monitor: { id: r.monitor.id, name: r.monitor.name },
  reason: 'ONE_FAILED_TRY',
  theirs: 'DOWN',
  ours: 'UP',
  startedAt: '2026-03-03T02:14:00.000Z',
  endedAt: '2026-03-03T02:15:00.000Z',
  incidentId: null,
  cause: 'No answer within 10 s',
  causeCode: 'TIMEOUT',
  summary: [],
}

export const shadowRunId = run.id

export const shadowRunExamples: Readonly<Record<string, OperationExample>> = {
  listShadowRuns: { answer: { data: [run] } },
  createShadowRun: {
    body: { tool: 'KUMA', url: run.url, key: 'uk1_K7dQ2xVb' },
    answer: { ...run, lastPollAt: null, matched: 0, unmatchedThere: run.unmatchedHere, agreement: null, counts: {} },
  },
  getShadowRun: { answer: run },
  listShadowDisagreements: { query: { limit: 25 }, answer: pageOf(disagreement) },
  finishShadowRun: { body: { enableContacts: true }, answer: { enabledContacts: 3, unmutedMonitors: 42 } },
  deleteShadowRun: deleted(run.id),
}
