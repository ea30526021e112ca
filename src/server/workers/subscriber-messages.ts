import { Counter, Gauge, type Registry } from 'prom-client'
import { SECOND_MS } from '../../lib/clock.ts'
import { type MailerCounters, type MailerOptions, startMailer } from '../../notifications/subscribers/mailer.ts'
import { countPendingNotices } from '../../notifications/subscribers/queries.ts'
import { sendByEmail, sendByHttp } from '../../notifications/subscribers/send.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { openEmailPool } from '../../outbound/email.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createHttpSender } from '../../outbound/http-sender.ts'
import { createMessageComposer } from '../../publishing/public-site/emails/composer.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { mailWhileAlive, runAsNode, sendWhileAlive } from './run-as-node.ts'

/** Connections of one node to the mail server. */
const CONNECTIONS = 5

/** Short, because many endpoints share few requests at a time. */
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS

/**
 * Starts messages to subscribers of status pages on nodes with the role `sender`: requests to webhooks and Slack, and
 * e-mails if a mail server is configured.
 */
export function startSubscriberWorker(parts: WorkerDependencies, undo: (() => unknown)[]): void {
  const { config, database, sealer, clock, log, metrics, node, baseUrl } = parts
  if (!config.roles.includes('sender')) return
  const common = {
    ...{ database, clock, log },
    composer: createMessageComposer(sealer, baseUrl, config.requiresDomainProof),
    random: Math,
    counters: subscriberMetrics(metrics.registry, async () => database.read(countPendingNotices())),
  } satisfies Omit<MailerOptions, 'medium' | 'send' | 'node'>
  const guard = createGuard({ policy: parseAddressPolicy(config.privateSubscribers) })
  const poster = createHttpSender({ guard, timeoutMs: REQUEST_TIMEOUT_MS })
  undo.push(() => poster.close())
  const start = (sending: Pick<MailerOptions, 'medium' | 'send'>): void => {
    const mailer = runAsNode(node, log, (name) => startMailer({ ...common, ...sending, node: name }))
    undo.push(() => mailer.stop())
    node.subscribe({ released: () => mailer.current?.nudge() })
  }
  const post = sendWhileAlive(node, poster.send)
  start({ medium: 'HTTP', send: sendByHttp(post, sealer, () => clock.now()) })
  if (config.mail !== undefined) {
    const pool = openEmailPool(config.mail, CONNECTIONS)
    undo.push(() => pool.close())
    start({ medium: 'EMAIL', send: sendByEmail(mailWhileAlive(node, pool.send)) })
  }
}

function subscriberMetrics(registry: Registry, waiting: () => Promise<number>): MailerCounters {
  const registers = [registry]
  const counterOf = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['purpose', 'outcome'], registers })
  const sent = {
    EMAIL: counterOf('pharos_subscriber_mails_total', 'E-mails to subscribers of status pages, by purpose and outcome'),
    HTTP: counterOf(
      'pharos_subscriber_posts_total',
      'Requests to webhook and Slack subscribers of status pages, by purpose and outcome',
    ),
  }
  const disabled = new Counter({
    name: 'pharos_subscribers_disabled_total',
    help: 'Subscribers disabled or removed because their address was rejected or kept failing',
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
    noticeChunkSent(medium, { sent: done, retried, rejected, givenUp, disabled: count }) {
      for (const [outcome, n] of Object.entries({ sent: done, retried, rejected, given_up: givenUp })) {
        sent[medium].inc({ purpose: 'notice', outcome }, n)
      }
      disabled.inc(count)
    },
    confirmationSent: (medium, outcome) => sent[medium].inc({ purpose: 'confirmation', outcome }),
  }
}
