import { Counter, Gauge, type Registry } from 'prom-client'
import { type Clock, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { startLoop } from '../../lib/loop.ts'
import type { Sealer } from '../../lib/seal.ts'
import { noticeQueue } from '../../notifications/subscribers/claim.ts'
import { confirmationQueue } from '../../notifications/subscribers/confirmation-email.ts'
import { type MailerCounters, startMailer } from '../../notifications/subscribers/mailer.ts'
import { countPendingNotices } from '../../notifications/subscribers/queries.ts'
import { openEmailPool } from '../../outbound/email.ts'
import { createEmailComposer } from '../../publishing/public-site/emails/subscriber-emails.ts'
import type { Database } from '../../storage/database.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly node: string
  readonly baseUrl: () => string
}

/** Connections of one node to the mail server. */
const CONNECTIONS = 5
const RELEASE_EVERY_MS = 5 * SECOND_MS

/** Starts e-mails to subscribers of status pages on nodes with the role `sender`, if a mail server is configured. */
export function startSubscriberEmailWorker(parts: Dependencies, undo: (() => unknown)[]): void {
  const { config, database, sealer, clock, log, metrics, node, baseUrl } = parts
  if (config.mail === undefined || !config.roles.includes('sender')) return
  const bag = openEmailPool(config.mail, CONNECTIONS)
  undo.push(() => bag.close())
  const mailer = startMailer({
    ...{ database, clock, log, node },
    mail: bag.send,
    composer: createEmailComposer(sealer, baseUrl, config.requiresDomainProof),
    random: Math,
    counters: mailMetrics(metrics.registry, async () => database.read(countPendingNotices())),
  })
  undo.push(() => mailer.stop())
  const releasing = startLoop('releasing claims on notices to subscribers', log, async () => {
    let released = 0
    for (const queue of [noticeQueue, confirmationQueue]) {
      released += await queue.releaseOfDead(database, node, clock.now())
    }
    if (released > 0) mailer.nudge()
    return { restMs: RELEASE_EVERY_MS }
  })
  undo.push(() => releasing.stop())
}

function mailMetrics(registry: Registry, waiting: () => Promise<number>): MailerCounters {
  const registers = [registry]
  const mails = new Counter({
    name: 'pharos_subscriber_mails_total',
    help: 'E-mails to subscribers of status pages, by purpose and outcome',
    labelNames: ['purpose', 'outcome'],
    registers,
  })
  const disabled = new Counter({
    name: 'pharos_subscribers_disabled_total',
    help: 'Subscribers disabled because the mail server kept rejecting their address',
    registers,
  })
  new Gauge({
    name: 'pharos_subscriber_notices_waiting',
    help: 'Notices not yet sent to all subscribers of their page',
    registers,
    async collect() {
      // Other metrics are still served while the database is unavailable.
      this.set(await waiting().catch(() => Number.NaN))
    },
  })
  return {
    noticeChunkSent({ sent, retried, rejected, givenUp, disabled: count }) {
      for (const [outcome, n] of Object.entries({ sent, retried, rejected, given_up: givenUp })) {
        mails.inc({ purpose: 'notice', outcome }, n)
      }
      disabled.inc(count)
    },
    confirmationSent: (outcome) => mails.inc({ purpose: 'confirmation', outcome }),
  }
}
