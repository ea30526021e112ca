import assert from 'node:assert/strict'
import type { TestServer } from '../support/server.ts'

/** What a server says of its checks where its operator looks. */
export interface Counted {
  readonly landed: number
  readonly overtaken: number
  readonly inconclusive: number
  readonly underWay: number
}

/** Reads the metrics of a server that was told to show them. */
export async function counted({ running: { metricsUrl } }: Pick<TestServer, 'running'>): Promise<Counted> {
  assert.ok(metricsUrl !== undefined, 'PHAROS_METRICS_LISTEN is set')
  return countedAt(metricsUrl)
}

export async function countedAt(metricsUrl: string): Promise<Counted> {
  const text = await (await fetch(metricsUrl)).text()
  const read = (name: string): number => {
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]
    assert.ok(value !== undefined, `the metrics tell of ${name}`)
    return Number(value)
  }
  return {
    landed: read('pharos_checks_total'),
    overtaken: read('pharos_checks_overtaken_total'),
    inconclusive: read('pharos_checks_inconclusive_total'),
    underWay: read('pharos_checks_under_way'),
  }
}
