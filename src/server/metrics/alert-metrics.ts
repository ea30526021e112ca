import { Counter, Gauge, type Registry } from 'prom-client'
import type { AlertCounters } from '../../notifications/contacts/sender.ts'

/** What the sender of alerts counts; `failing` is asked whenever somebody wants to know. */
export function alertMetrics(registry: Registry, failing: () => Promise<number>): AlertCounters {
  const registers = [registry]
  const messages = new Counter({
    name: 'pharos_alert_messages_total',
    help: 'Messages to alert contacts, by channel and by whether they arrived',
    labelNames: ['channel', 'outcome'],
    registers,
  })
  const givenUp = new Counter({
    name: 'pharos_alerts_given_up_total',
    help: 'Alerts that did not arrive with their last attempt',
    labelNames: ['channel'],
    registers,
  })
  new Gauge({
    name: 'pharos_contacts_failing',
    help: 'Alert contacts of this installation whose last message did not arrive',
    registers,
    async collect() {
      // While the database is away nobody knows, and everything else is still to be told.
      this.set(await failing().catch(() => Number.NaN))
    },
  })
  return {
    sent: (channel) => messages.inc({ channel, outcome: 'sent' }),
    failed: (channel) => messages.inc({ channel, outcome: 'failed' }),
    gaveUp: (channel, alerts) => givenUp.inc({ channel }, alerts),
  }
}
