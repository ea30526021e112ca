import Type from 'typebox'
import { streamedOperation } from '../../contract/operation.ts'
import { monitorMetrics } from './render.ts'

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
    '(`PHAROS_METRICS_LISTEN`). Compressed if the request accepts gzip or br. A request with `If-None-Match` is answered with a 304 if ' +
    'the metrics are the same.',
  answer: {
    status: 200,
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    schema: Type.String(),
    description: 'The metrics of the monitors',
    headers: {
      ETag: { description: 'Identifies these metrics, for `If-None-Match`', example: '"x2Vq0J8mQ4vN1cT7yLr3Zg-gzip"' },
    },
  },
  parts: ({ caller, now }, _input, read) => monitorMetrics(read, caller.orgId, now),
})
