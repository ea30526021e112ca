import { isIP } from 'node:net'
import type { ProbeTarget } from '../../../contract/probe.ts'
import { parseHostAndPort } from '../../../lib/host.ts'
import { type AddressPolicy, permits } from '../../../outbound/address-policy.ts'
import { createDnsClient, type DnsQuery, type DnsRecordType, type QueryDns } from '../../../outbound/dns-client.ts'
import { codeOf, DeadlineError, LookupError } from '../../../outbound/errors.ts'
import type { Guard } from '../../../outbound/guard.ts'
import { listedReason, type Reason, reason } from '../../../reasons/reason.ts'
import { serverAddresses } from '../apply-request-options.ts'
import { applyAssertions } from '../assertions/apply.ts'
import { type Attempt, makeAttempt } from '../attempt.ts'
import type { Probe } from '../definition.ts'
import { missingValues, normalise } from './records.ts'

export interface DnsTarget extends ProbeTarget {
  readonly dnsRecordType: DnsRecordType
  readonly dnsExpected: string | null
}

export interface DnsTools {
  readonly guard: Guard
  readonly queryDns: QueryDns
  /** The policy of `queryDns`, which withholds addresses that it forbids. */
  readonly policy: AddressPolicy
}

/** A name is up when it has records of the type, and all expected ones are among them. */
export const probeDns: Probe<DnsTools, DnsTarget> = (target, tools, signal) =>
  makeAttempt(target, signal, async (attempt) => {
    const { url, dnsRecordType: type, dnsExpected, timeoutMs } = target
    const name = parseHostAndPort(url ?? '')?.host
    if (name === undefined) {
      return { code: 'DNS', kind: 'content', error: reason('not_a_host', { text: shortened(url ?? '') }) }
    }
    const records = await recordsOf({ name, type, withinMs: timeoutMs }, target, tools, attempt).catch((error) => {
      if (!(error instanceof DeadlineError) || error.isLocalFault) throw error
      throw new LookupError('TIMEOUT', reason('dns_records_timeout', { type, host: name, ms: error.timeoutMs }))
    })
    attempt.observed.records = records
    const missing = missingValues(type, dnsExpected ?? '', records)
    if (missing.length === 0) return applyAssertions(target.assertions, attempt, { records })
    const code = isPrivate(missing, tools.policy) ? 'dns_mismatch_private' : 'dns_mismatch'
    const error = reason(code, { expected: listed(missing), got: listed(records) })
    return { code: 'DNS_MISMATCH', kind: 'content', error }
  })

async function recordsOf(query: DnsQuery, target: DnsTarget, tools: DnsTools, attempt: Attempt): Promise<string[]> {
  attempt.host = query.name
  const queryDns = await clientFor(target, tools, attempt.signal)
  const isOwnServer = queryDns !== tools.queryDns
  return normalise(query.type, await lookUp(queryDns, query, isOwnServer, attempt.signal))
}

/** A DNS server of the monitor's own is asked instead of the installation's. */
async function clientFor({ request }: DnsTarget, tools: DnsTools, signal: AbortSignal): Promise<QueryDns> {
  if (request?.resolver === undefined) return tools.queryDns
  return createDnsClient(await serverAddresses(request.resolver, tools.guard, signal), tools.policy)
}

async function lookUp(
  queryDns: QueryDns,
  query: DnsQuery,
  isOwnServer: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const records = await queryDns(query, signal).catch((error) => {
    throw signal.aborted ? signal.reason : lookupError(query, codeOf(error), isOwnServer)
  })
  // A CNAME whose target does not exist is answered without records.
  if (records.length === 0) throw lookupError(query, 'ENODATA', isOwnServer)
  return records
}

/** Errors that a DNS server reported. */
const SERVER_ERRORS: Readonly<Record<string, (host: string, type: DnsRecordType) => Reason>> = {
  ENOTFOUND: (host) => reason('nxdomain', { host }),
  ENODATA: (host, type) => reason('no_records', { host, type }),
  ESERVFAIL: (host) => reason('dns_servfail', { host }),
  EREFUSED: (host) => reason('dns_refused', { host }),
  EFORMERR: (host) => reason('dns_rejected', { host, error: 'FORMERR' }),
  ENOTIMP: (host) => reason('dns_rejected', { host, error: 'NOTIMP' }),
  EBADRESP: (host) => reason('dns_invalid', { host }),
  EBADNAME: (host) => reason('dns_bad_name', { host }),
}

function lookupError({ name, type }: DnsQuery, code: string, isOwnServer: boolean): LookupError {
  const known = SERVER_ERRORS[code]?.(name, type)
  if (known !== undefined) return new LookupError('DNS', known)
  // A server that does not answer may be waiting for the name's own servers, so this is not certainly a local fault.
  if (code === 'ETIMEOUT') return new LookupError('TIMEOUT', reason('no_dns_response', { host: name }))
  // ECONNREFUSED and others: no DNS server could be reached (no socket, no route, or no server there).
  // A server that was chosen for the monitor is part of what it checks.
  const isLocalFault = !isOwnServer
  return new LookupError('DNS', reason('no_dns_server', { host: name, error: code }), { isLocalFault })
}

/**
 * An expected private address is always missing, whether the name has it or not: a check that showed the difference would let
 * users find out the operator's internal addresses by guessing.
 */
function isPrivate(missing: readonly string[], policy: AddressPolicy): boolean {
  return missing.some((value) => isIP(value) !== 0 && !permits(policy, value))
}

const MAX_LISTED = 5
const MAX_SHOWN_CHARS = 200

function listed(values: readonly string[]): Reason {
  return listedReason(values.slice(0, MAX_LISTED).map(shortened), values.length)
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : text
}
