import { parseHostAndPort } from '../../lib/host.ts'
import type { DnsQuery, DnsRecordType, QueryDns } from '../../outbound/dns-client.ts'
import { codeOf, DeadlineError, durationText, LookupError } from '../../outbound/errors.ts'
import { type Failure, failureOf, msSince, sampleOfError, startAttempt } from './attempt.ts'
import { missingValues, normalise } from './dns/records.ts'
import type { Probe } from './probe.ts'

export interface DnsTools {
  readonly askDns: QueryDns
}

/** A name is up when it has records of the type asked for, and all the expected ones are among them. */
export const probeDns: Probe<DnsTools> = async ({ url, dnsRecordType, dnsExpected, timeoutMs }, tools, signal) => {
  using visit = startAttempt(timeoutMs, signal)
  const host = parseHostAndPort(url ?? '')?.host
  if (host === undefined) return failureOf(visit, notAName(url ?? ''))
  visit.host = host
  try {
    const question = { name: host, type: dnsRecordType, withinMs: timeoutMs }
    const records = normalise(dnsRecordType, await lookUp(tools.askDns, question, visit.signal))
    const missing = missingValues(dnsRecordType, dnsExpected ?? '', records)
    if (missing.length > 0) {
      const error = `Expected ${listed(missing)}, got ${listed(records)}`
      return failureOf(visit, { code: 'DNS_MISMATCH', kind: 'content', error })
    }
    return { outcome: 'success', responseMs: msSince(visit.startedAt), records }
  } catch (error) {
    if (error instanceof DeadlineError && !error.isLocalFault) {
      const sentence = `No answer about the ${dnsRecordType} records of ${host} within ${durationText(error.timeoutMs)}`
      return failureOf(visit, { code: 'TIMEOUT', kind: 'connection', error: sentence })
    }
    return sampleOfError(visit, error)
  }
}

async function lookUp(askDns: QueryDns, question: DnsQuery, signal: AbortSignal): Promise<readonly string[]> {
  const records = await askDns(question, signal).catch((error) => {
    throw signal.aborted ? signal.reason : lookupFault(question, codeOf(error))
  })
  // An alias that leads nowhere is an answer without records.
  if (records.length === 0) throw lookupFault(question, 'ENODATA')
  return records
}

/** What DNS servers say of a name. */
const ANSWERS: Readonly<Record<string, (host: string, type: DnsRecordType) => string>> = {
  ENOTFOUND: (host) => `The name ${host} does not exist`,
  ENODATA: (host, type) => `${host} has no ${type} record`,
  ESERVFAIL: (host) => `The DNS server could not find out about ${host} (SERVFAIL)`,
  EREFUSED: (host) => `The DNS server refused to answer about ${host}`,
  EFORMERR: (host) => `The DNS server did not understand the question about ${host}`,
  ENOTIMP: (host) => `The DNS server did not understand the question about ${host}`,
  EBADRESP: (host) => `The DNS server's answer about ${host} is unreadable`,
  EBADNAME: (host) => `${host} is not a name that DNS knows of`,
}

function lookupFault({ name, type }: DnsQuery, code: string): LookupError {
  const answer = ANSWERS[code]?.(name, type)
  if (answer !== undefined) return new LookupError('DNS', answer)
  // A silent server may itself be waiting for the servers of the name, so this is not our fault for certain.
  if (code === 'ETIMEOUT') return new LookupError('TIMEOUT', `No DNS server answered about ${name}`)
  // ECONNREFUSED and the like: no server could be spoken to, for want of a socket, of a route, or of a server there.
  return new LookupError('DNS', `No DNS server could be asked about ${name} (${code})`, { isLocalFault: true })
}

function notAName(url: string): Failure {
  return { code: 'DNS', kind: 'content', error: `"${shortened(url)}" names no host` }
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
