import { Counter, type Registry } from 'prom-client'
import { type Clock, SECOND_MS } from '../../lib/clock.ts'
import { accountMails } from '../../notifications/deliveries/account-mails.ts'
import { countPending } from '../../notifications/deliveries/queue.ts'
import { type DeliverySenderOptions, startDeliverySender } from '../../notifications/deliveries/sender.ts'
import { sendByEmail, sendByHttp } from '../../notifications/deliveries/transports.ts'
import { confirmations } from '../../notifications/subscribers/confirmations.ts'
import { endsSubscription, notices } from '../../notifications/subscribers/notices.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { openEmailPool } from '../../outbound/email.ts'
import { createGuard } from '../../outbound/guard.ts'
import { createHttpSender } from '../../outbound/http-sender.ts'
import { createMessageComposer } from '../../publishing/public-site/emails/composer.ts'
import { observe } from '../metrics/metrics.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { mailWhileAlive, runAsNode, sendWhileAlive } from './run-as-node.ts'

/** Connections of one node to the mail server. */
const CONNECTIONS = 5

/** Short, because many endpoints share few requests at a time. */
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS

/**
 * Starts sending account mails and messages to subscribers of status pages on nodes with the role `sender`: requests to webhooks
 * and Slack, and e-mails if a mail server is configured.
 */
export function startDeliveryWorker(parts: WorkerDependencies, undo: (() => unknown)[]): void {
  const { config, database, sealer, clock, log, metrics, node, baseUrl } = parts
  if (!config.roles.includes('sender')) return
  const composer = createMessageComposer(sealer, baseUrl, config.requiresDomainProof)
  const count = deliveryMetrics(metrics.registry, clock, async () => database.read(countPending('NOTICE')))
  const common = {
    database,
    clock,
    log,
    adapters: {
      ACCOUNT_MAIL: accountMails(sealer),
      CONFIRMATION: confirmations(composer, sealer),
      NOTICE: notices(composer, sealer),
    },
    random: Math.random,
    onSettled(claim, sent) {
      count(claim, sent)
      if (claim.kind !== 'ACCOUNT_MAIL') return
      for (const { result } of sent) if (!result.ok) log.warn(`e-mail not sent: ${result.error}`)
    },
  } satisfies Omit<DeliverySenderOptions, 'medium' | 'send' | 'node'>
  const guard = createGuard({ policy: parseAddressPolicy(config.privateSubscribers) })
  const poster = createHttpSender({ guard, timeoutMs: REQUEST_TIMEOUT_MS })
  undo.push(() => poster.close())
  const start = (sending: Pick<DeliverySenderOptions, 'medium' | 'send'>): void => {
    runAsNode(node, log, undo, (name) => startDeliverySender({ ...common, ...sending, node: name }))
  }
  start({ medium: 'HTTP', send: sendByHttp(sendWhileAlive(node, poster.send), () => clock.now()) })
  if (config.mail === undefined) return
  const pool = openEmailPool(config.mail, CONNECTIONS)
  undo.push(() => pool.close())
  start({ medium: 'EMAIL', send: sendByEmail(mailWhileAlive(node, pool.send)) })
}

const purposes = { ACCOUNT_MAIL: 'account', CONFIRMATION: 'confirmation', NOTICE: 'notice' } as const
const outcomes = { done: 'sent', retry: 'retried', wait: 'retried', giveUp: 'given_up' } as const

function deliveryMetrics(
  registry: Registry,
  clock: Clock,
  waiting: () => Promise<number>,
): DeliverySenderOptions['onSettled'] {
  const registers = [registry]
  const counterOf = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['purpose', 'outcome'], registers })
  const sentBy = {
    EMAIL: counterOf('pharos_subscriber_mails_total', 'E-mails to users and subscribers, by purpose and outcome'),
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
  const help = 'Notices not yet sent to all subscribers of their page'
  observe(registry, 'pharos_subscriber_notices_waiting', help, waiting)
  return ({ kind, medium }, sent) => {
    for (const one of sent) {
      const isRejected = !one.result.ok && (one.result.fault === 'rejected' || one.result.fault === 'gone')
      sentBy[medium].inc({ purpose: purposes[kind], outcome: isRejected ? 'rejected' : outcomes[one.step.do] })
      if (kind === 'NOTICE' && endsSubscription(one as Parameters<typeof endsSubscription>[0], clock.now())) {
        disabled.inc()
      }
    }
  }
}
