import { SECOND_MS } from '../../lib/clock.ts'
import { startDeadline } from '../../outbound/deadline.ts'
import type { DnsRecordType, QueryDns } from '../../outbound/dns-client.ts'
import { codeOf } from '../../outbound/errors.ts'
import { findingOf, type Lookup, type ProofFinding, type ProofQuestion, txtProof } from './proof.ts'

export const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS

/** Asks DNS for the proof of a domain, for up to 5 seconds. */
export async function findProof(
  question: ProofQuestion,
  queryDns: QueryDns,
  signal: AbortSignal,
): Promise<ProofFinding> {
  using deadline = startDeadline(LOOKUP_TIMEOUT_MS, signal)
  const { domain, token } = question
  const [txt, cname] = await Promise.all([
    lookUp(queryDns, txtProof(domain, token).name, 'TXT', deadline.signal),
    lookUp(queryDns, domain, 'CNAME', deadline.signal),
  ])
  return findingOf(question, txt, cname)
}

/** EBADNAME: the name would be too long, so it cannot have records. */
const NO_RECORDS = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

const REASONS: Readonly<Record<string, string>> = {
  ETIMEOUT: 'no DNS server answered in time',
  TIMEOUT: 'no DNS server answered in time',
  ECONNREFUSED: 'no DNS server could be reached',
  ESERVFAIL: 'the DNS servers of the domain reported an error (SERVFAIL)',
  EREFUSED: 'the DNS server refused to answer',
}

/** The records of a name, without a cache. Only an answer counts as "no records". */
export async function lookUp(
  queryDns: QueryDns,
  name: string,
  type: DnsRecordType,
  signal: AbortSignal,
): Promise<Lookup> {
  try {
    return { records: await queryDns({ name, type, withinMs: LOOKUP_TIMEOUT_MS }, signal) }
  } catch (error) {
    const code = codeOf(error)
    if (NO_RECORDS.has(code)) return { records: [] }
    return { error: `${name} could not be looked up: ${REASONS[code] ?? `the lookup failed (${code})`}` }
  }
}
