import { isIP } from 'node:net'
import type { ProbeTarget } from '../../../contract/probe.ts'
import { parseHostAndPort } from '../../../lib/host.ts'
import { type AddressPolicy, permits } from '../../../outbound/address-policy.ts'
import { createDnsClient, type DnsQuery, type DnsRecordType, type QueryDns } from '../../../outbound/dns-client.ts'
import { codeOf, DeadlineError, LookupError, timeoutText } from '../../../outbound/errors.ts'
import type { Guard } from '../../../outbound/guard.ts'
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
      return { code: 'DNS', kind: 'content', error: `"${shortened(url ?? '')}" is not a host name` }
    }
    const records = await recordsOf({ name, type, withinMs: timeoutMs }, target, tools, attempt).catch((error) => {
      if (!(error instanceof DeadlineError) || error.isLocalFault) throw error
      const time = timeoutText(error.timeoutMs)
      throw new LookupError('TIMEOUT', `DNS lookup of ${type} records for ${name} timed out after ${time}`)
    })
    attempt.observed.records = records
    const missing = missingValues(type, dnsExpected ?? '', records)
    if (missing.length === 0) return applyAssertions(target.assertions, attempt, { records })
    const error = `Expected ${listed(missing)}, got ${listed(records)}${privacyNote(missing, tools.policy)}`
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
const SERVER_ERRORS: Readonly<Record<string, (host: string, type: DnsRecordType) => string>> = {
  ENOTFOUND: (host) => `${host} does not exist (NXDOMAIN)`,
  ENODATA: (host, type) => `${host} has no ${type} records`,
  ESERVFAIL: (host) => `The DNS server could not resolve ${host} (SERVFAIL)`,
  EREFUSED: (host) => `The DNS server refused the query for ${host} (REFUSED)`,
  EFORMERR: (host) => `The DNS server rejected the query for ${host} (FORMERR)`,
  ENOTIMP: (host) => `The DNS server rejected the query for ${host} (NOTIMP)`,
  EBADRESP: (host) => `The DNS server sent an invalid response for ${host}`,
  EBADNAME: (host) => `${host} is not a valid DNS name`,
}

function lookupError({ name, type }: DnsQuery, code: string, isOwnServer: boolean): LookupError {
  const message = SERVER_ERRORS[code]?.(name, type)
  if (message !== undefined) return new LookupError('DNS', message)
  // A server that does not answer may be waiting for the name's own servers, so this is not certainly a local fault.
  if (code === 'ETIMEOUT') return new LookupError('TIMEOUT', `No DNS server responded for ${name}`)
  // ECONNREFUSED and others: no DNS server could be reached (no socket, no route, or no server there).
  // A server that was chosen for the monitor is part of what it checks.
  const isLocalFault = !isOwnServer
  return new LookupError('DNS', `No DNS server could be reached to look up ${name} (${code})`, { isLocalFault })
}

/**
 * An expected private address is always missing, whether the name has it or not: a check that showed the difference would let
 * users find out the operator's internal addresses by guessing.
 */
function privacyNote(missing: readonly string[], policy: AddressPolicy): string {
  const isPrivate = missing.some((value) => isIP(value) !== 0 && !permits(policy, value))
  return isPrivate ? '. Private addresses are not compared on this installation: expect the public ones' : ''
}

const MAX_LISTED = 5
const MAX_SHOWN_CHARS = 200

function listed(values: readonly string[]): string {
  const shown = values.slice(0, MAX_LISTED).map(shortened).join(', ')
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : text
}
