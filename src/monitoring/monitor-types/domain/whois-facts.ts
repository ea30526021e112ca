import { boundedText } from '../bounded-text.ts'
import { parseDate } from './parse-date.ts'
import { nameServerList, type RegistrationFacts } from './registry-answer.ts'

const MAX_LINES = 2000
const MAX_LINE = 300

const REGISTRAR = /^registrar(?: name)?[ .]*: ?(.+)$/i
const CREATED =
  /^(?:creation date|created(?: on| date)?|domain record activated|registered(?: on)?|registration (?:date|time)|domain registration date)[ .]*: ?(.+)$/i
const NAME_SERVER = /^(?:name ?servers?|nserver|ns\d?|domain servers?)[ .]*: ?([^ ]+)/i

/** What most registries print as "Label: value" lines. A layout that is not known gives nulls: no check depends on it. */
export function whoisFacts(text: string): RegistrationFacts {
  const lines = text.split(/[\r\n]+/, MAX_LINES).map((line) => line.slice(0, MAX_LINE).replaceAll(/\s+/g, ' ').trim())
  const labelled = (label: RegExp) => lines.map((line) => label.exec(line)?.[1]).find((value) => value !== undefined)
  const registrar = boundedText(labelled(REGISTRAR) ?? '')
  return {
    registrar: registrar === '' ? null : registrar,
    registeredAt: parseDate(labelled(CREATED) ?? ''),
    nameServers: nameServerList(lines.flatMap((line) => NAME_SERVER.exec(line)?.[1] ?? [])),
    source: 'WHOIS',
  }
}
