import { Counter, type Registry } from 'prom-client'
import type { AlertCounters } from '../../notifications/contacts/sender.ts'
import { observe } from './metrics.ts'

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
  const help = 'Alert contacts of this installation whose last message failed'
  observe(registry, 'pharos_contacts_failing', help, failing)
  return {
    sent: (channel) => messages.inc({ channel, outcome: 'sent' }),
    failed: (channel) => messages.inc({ channel, outcome: 'failed' }),
    gaveUp: (channel, alerts) => givenUp.inc({ channel }, alerts),
  }
}
