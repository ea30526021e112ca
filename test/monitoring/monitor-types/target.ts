import type { FullTarget } from '../../../src/monitoring/monitor-types/definitions.ts'

/** A target with the defaults of the API, but for the time-out. */
export function targetOf(parts: Partial<FullTarget>): FullTarget {
  return {
    url: null,
    host: null,
    port: null,
    method: 'GET',
    expectedStatus: [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308],
    requestHeaders: null,
    requestBody: null,
    followRedirects: true,
    verifySsl: true,
    keyword: null,
    keywordMatch: 'EXISTS',
    dnsRecordType: 'A',
    dnsExpected: null,
    timeoutMs: 3000,
    ...parts,
  }
}
