import { domainToUnicode } from 'node:url'
import { boundedText } from '../bounded-text.ts'
import { isHostName } from './candidate-names.ts'
import { parseDate } from './parse-date.ts'
import { lapsedStatus, nameServerList, type Registered, type RegistrationFacts } from './registry-answer.ts'

/** What a WHOIS reply says about the queried name. */
export type WhoisReply =
  | (Omit<Registered, 'name'> & {
      /** The registrar's WHOIS server, which may know the date. */
      readonly referral: string | null
    })
  | { readonly kind: 'absent' }
  /** The registry does not register such names: it has too many labels, for instance. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unclear' }

/** Longer lines are cut and further lines ignored. */
const MAX_LINE = 300
const MAX_LINES = 2000

/** Labels at the start of a line that are followed by a date, in order of preference: a registrar's date may be outdated. */
const EXPIRY_LABELS: readonly RegExp[] = [
  'registry expiry date',
  '(?:paid|reg)-till',
  '(?:record |domain |registration )?(?:name )?(?:will )?(?:be )?expir(?:y|es?|ed|ing|ation)(?:[ -](?:date|time|on|at|after))*',
  '(?:date of expiration|exp date|renewal[- ]date|valid(?:ity|[ -](?:date|until|to)))',
  'domain_datebilleduntil',
  'status: ?ok-until',
  'fecha de (?:vencimiento|expiraci.{1,2}n)',
  'state\\][^(]{0,60}\\(',
  'registrar registration expiration date',
].map((label) => new RegExp(`^[ %#*\\[]*(?:${label})(?: ?\\([a-z/.-]{1,20}\\))?[ .:\\]=-]*`, 'i'))

/** Replaces the queried name in the lines. A tab cannot occur otherwise, because white space is normalised. */
const NAME = '\t'

const ABSENT: readonly RegExp[] = [
  'no match',
  '(?:data |object\\(s\\) )?not found\\b',
  'object_not_found',
  'no (?:entries|records?|objects?|data|information|domain)(?: was| were)? (?:found|available|records)\\b',
  'no (?:such domain|found)\\b',
  'nothing found',
  'we do not have an entry',
  'this query returned 0 objects',
  `(?:sorry, )?(?:(?:the|this|above|requested) )*(?:(?:domain|object)(?: name)?(?: "?${NAME}"?)?|"?${NAME}"?) (?:(?:was|is|has|does) )?not (?:been )?(?:found|registered|exist|known)\\b`,
  '(?:domain |registration |query_)?(?:status|state): ?"?(?:free|avail|not registered|no object found|220 avail|unassigned)',
  `(?:domain )?"?${NAME}"?:? (?:- available|is free|is available|no existe)\\b`,
  'this (?:domain )?name (?:may be|is) available',
].map((words) => new RegExp(`^[ %#*>"!.-]*(?:error[: ]*\\d*[: ]*)?(?:${words})`, 'i'))

const INVALID =
  /\b(?:invalid|malformed|incorrect|unsupported|illegal|not (?:a )?valid)\b.{0,40}\b(?:domain|name|query|request|input|format)|\bname is (?:in|not )valid/i
const INVALID_STATUS = /^(?:status: ?invalid|query_status: ?500)/i

const REFUSED =
  /\b(?:limit|quota|rate)\b.{0,30}\b(?:exceeded|reached)|\bexceed(?:ed|ing)\b.{0,40}\b(?:limit|quota|rate|quer)|too many (?:requests|queries|connections)|\btry again\b|\baccess (?:is |was |has been )?denied|\b(?:been|is) (?:temporarily )?(?:blocked|blacklisted|banned)/i

const ENTRY = new RegExp(
  `^[ %*]*(?:[a-z]\\. ?)?\\[?(?:complete )?(?:domain[ _]?name|domain|name|query)\\]?[ .:]+"?${NAME}"?\\.?$`,
  'i',
)
const STATUS = /^(?:domain |registration )?(?:status|state)[ .]*: ?(.+)$/i
const REFERRAL = /^(?:refer|whois|registrar whois server|whois server): ?(?:whois:\/\/)?([^ /:]+)/i

const REGISTRAR = /^registrar(?: name)?[ .]*: ?(.+)$/i
const CREATED =
  /^(?:creation date|created(?: on| date)?|domain record activated|registered(?: on)?|registration (?:date|time)|domain registration date)[ .]*: ?(.+)$/i
const NAME_SERVER = /^(?:name ?servers?|nserver|ns\d?|domain servers?)[ .]*: ?([^ ]+)/i

/** Parses the free text of a reply to a query about `name`. */
export function parseWhoisReply(text: string, name: string): WhoisReply {
  const lines = linesOf(text, name)
  const expiresAt = lines.some((line) => line.includes(NAME)) ? expiryIn(lines) : null
  const isAbsent = lines.some((line) => ABSENT.some((pattern) => pattern.test(line)))
  const isInvalid = lines.some((line) => INVALID_STATUS.test(line))
  // A date decides: the legal text around an entry may mention limits and names that are not found.
  if (expiresAt !== null || (!isAbsent && !isInvalid && hasEntry(lines))) {
    const facts = factsIn(linesOf(text))
    return { kind: 'registered', expiresAt, lapsed: lapsedIn(lines), referral: referralIn(text), facts }
  }
  if (lines.some((line) => REFUSED.test(line))) return { kind: 'refused' }
  if (isAbsent) return { kind: 'absent' }
  return { kind: isInvalid || lines.some((line) => INVALID.test(line)) ? 'invalid' : 'unclear' }
}

/** The server that a reply refers to. */
export function referralIn(text: string): string | null {
  for (const line of linesOf(text)) {
    const host = REFERRAL.exec(line)?.[1]?.toLowerCase()
    if (host !== undefined && isHostName(host)) return host
  }
  return null
}

/** The non-empty lines, with single spaces, and with NAME in place of the name (but not inside longer names). */
function linesOf(text: string, name?: string): readonly string[] {
  const lines = text.split(/[\r\n]+/, MAX_LINES).map((line) => line.slice(0, MAX_LINE).replaceAll(/\s+/g, ' ').trim())
  const filled = lines.filter((line) => line !== '')
  if (name === undefined) return filled
  const forms = [name, domainToUnicode(name)].filter((form) => form !== '').map((form) => RegExp.escape(form))
  const pattern = new RegExp(`(?<![\\w.-])(?:${forms.join('|')})(?![\\w-]|\\.[\\w-])`, 'giu')
  return filled.map((line) => line.replaceAll(pattern, NAME))
}

function expiryIn(lines: readonly string[]): number | null {
  for (const label of EXPIRY_LABELS) {
    for (const [i, line] of lines.entries()) {
      const found = label.exec(line)
      if (found === null) continue
      const value = line.slice(found[0].length)
      // Some servers put the value on the next line.
      const expiresAt = parseDate(value === '' ? (lines[i + 1] ?? '') : value)
      if (expiresAt !== null) return expiresAt
    }
  }
  return null
}

function lapsedIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    const lapsed = lapsedStatus(STATUS.exec(line)?.[1] ?? '')
    if (lapsed !== null) return lapsed
  }
  return null
}

/** A line that names the domain and nothing else, or a heading with the name on the next line. */
function hasEntry(lines: readonly string[]): boolean {
  const isHeading = (line: string | undefined) => /^domain(?: name)?:$/i.test(line ?? '')
  return lines.some((line, i) => ENTRY.test(line) || (line === NAME && isHeading(lines[i - 1])))
}

/** What most registries print as "Label: value" lines. A layout that is not known gives nulls: no check depends on it. */
function factsIn(lines: readonly string[]): RegistrationFacts {
  const labelled = (label: RegExp) => lines.map((line) => label.exec(line)?.[1]).find((value) => value !== undefined)
  const registrar = boundedText(labelled(REGISTRAR) ?? '')
  return {
    registrar: registrar === '' ? null : registrar,
    registeredAt: parseDate(labelled(CREATED) ?? ''),
    nameServers: nameServerList(lines.flatMap((line) => NAME_SERVER.exec(line)?.[1] ?? [])),
    source: 'WHOIS',
  }
}
