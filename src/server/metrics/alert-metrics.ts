import { Counter, Gauge, type Registry } from 'prom-client'
import type { AlertCounters } from '../../notifications/contacts/sender.ts'

/** Metrics of the alert sender. `failing` is called at each scrape. */
export function alertMetrics(registry: Registry, failing: () => Promise<number>): AlertCounters {
  const registers = [registry]
  const messages = new Counter({
    name: 'pharos_alert_messages_total',
    help: 'Messages to alert contacts, by channel and outcome',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const givenUp = new Counter({
    name: 'pharos_alerts_given_up_total',
    help: 'Alerts whose last attempt failed',
    labelNames: ['channel'],
    registers,
  })
  new Gauge({
    name: 'pharos_contacts_failing',
    help: 'Alert contacts of this installation whose last message failed',
    registers,
    async collect() {
      // Other metrics are still served while the database is unavailable.
      this.set(await failing().catch(() => Number.NaN))
    },
  })
  return {
    sent: (channel) => messages.inc({ channel, outcome: 'sent' }),
    failed: (channel) => messages.inc({ channel, outcome: 'failed' }),
    gaveUp: (channel, alerts) => givenUp.inc({ channel }, alerts),
  }
}
