import Type from 'typebox'
import { streamedOperation } from '../../contract/operation.ts'
import { monitorMetrics } from './monitor-metrics.ts'

export const getMonitorMetrics = streamedOperation({
  id: 'getMonitorMetrics',
  method: 'GET',
  path: '/metrics/monitors',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get metrics of all monitors for Prometheus',
  description:
    'In the text format of Prometheus, for a scraper that sends an API key. Metrics of the service itself are elsewhere ' +
    '(`PHAROS_METRICS_LISTEN`).',
  answer: {
    status: 200,
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    schema: Type.String(),
    description: 'The metrics of the monitors',
  },
  parts: ({ caller, now }, _input, read) => monitorMetrics(read, caller.orgId, now),
})
