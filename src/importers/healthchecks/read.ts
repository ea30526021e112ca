import { optionNamed } from '../../monitoring/monitor-options/definitions.ts'
import { bounded, boundedName, heartbeatPeriod } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { type JsonObject, objectsIn, readJson, textOf } from '../json-files.ts'
import { labelsFrom, notesFrom } from '../monitor-fields.ts'
import { type Reader, WrongFileError } from '../result.ts'
import { cronOfCalendar } from './calendar.ts'

/** Reads answers of the API: the lists of checks and of integrations. */
export const readHealthchecks: Reader = (files) => {
  const answers = files.map((file) => ({ name: file.name, content: readJson(file) }))
  for (const { name, content } of answers) {
    if (!['checks', 'channels', 'ping_key'].some((member) => member in content)) {
      throw new WrongFileError(`${name} has neither "checks" nor "channels"`)
    }
  }
  const checks = answers.flatMap(({ content }) => objectsIn(content.checks))
  const channels = answers.flatMap(({ content }) => objectsIn(content.channels))
  const pingKey = answers.map(({ content }) => textOf(content.ping_key)).find((key) => key !== '')
  const collection = new Collection('healthchecks', { removable: {}, nouns: { monitors: 'check' } })
  collection.readEach(checks, checkObject, (check, object) => addCheck(collection, object, check, pingKey))
  collection.readEach(channels, channelObject, ({ kind }, object) => {
    const users = checks.filter((check) => textOf(check.channels).split(',').includes(object.sourceId))
    const used = users.length === 0 ? '' : ` Used by: ${users.map(({ name }) => textOf(name)).join(', ')}.`
    const reason = `The API does not return the address of an integration (${textOf(kind)}): create a contact for it.${used}`
    collection.refuse(object, reason)
  })
  return collection.result()
}

function checkObject({ uuid, unique_key: key, name, slug }: JsonObject): SourceObject {
  const title = boundedName(textOf(name), textOf(slug) || 'Check', [])
  return { kind: 'check', sourceId: textOf(uuid) || textOf(key), name: title }
}

function channelObject({ id, name, kind }: JsonObject): SourceObject {
  return { kind: 'integration', sourceId: textOf(id), name: textOf(name) || textOf(kind) }
}

function addCheck(collection: Collection, object: SourceObject, check: JsonObject, pingKey: string | undefined): void {
  const losses: string[] = []
  const name = boundedName(textOf(check.name), object.name, losses)
  const timing = timingOf(check, losses)
  if ('reason' in timing) return void collection.refuse(object, timing.reason)
  const fields = {
    name,
    type: 'CRON',
    ...timing,
    graceSeconds: bounded('graceSeconds', Number(check.grace ?? 0), losses),
    ...labelsFrom(textOf(check.tags).split(/\s+/).filter(Boolean), '', losses),
    ...notesFrom(textOf(check.desc).trim(), losses),
    ...addressOf(check, pingKey, losses),
    ...(check.status === 'paused' && { paused: true }),
  }
  losses.push(...filterLosses(check))
  collection.map(object, 'monitors', fields, losses)
}

function timingOf(check: JsonObject, losses: string[]): object | { readonly reason: string } {
  if (typeof check.timeout === 'number') {
    return heartbeatPeriod(check.timeout, losses)
  }
  const given = textOf(check.schedule)
  const isCron = given.trim().startsWith('@') || given.trim().split(/\s+/).length === 5
  const cron = isCron ? given.trim() : cronOfCalendar(given)
  if (cron === undefined) {
    return {
      reason: `The schedule "${given}" has no equivalent: create a CRON monitor with a period or a cron expression.`,
    }
  }
  const schedule = { cron, timezone: textOf(check.tz) || 'UTC' }
  const faults = optionNamed('schedule').faults?.(schedule) ?? []
  if (faults.length > 0) {
    return {
      reason: `The schedule "${given}" cannot be used: ${faults.map(({ path, message }) => `${path} ${message}`).join(', ')}.`,
    }
  }
  return { schedule }
}

/** A key that may only read gets no addresses. */
function addressOf(check: JsonObject, pingKey: string | undefined, losses: string[]): object {
  const [uuid, slug] = [textOf(check.uuid), textOf(check.slug)]
  const bySlug = pingKey !== undefined && slug !== ''
  const token = bySlug ? `${pingKey}/${slug}` : uuid
  if (bySlug && uuid !== '') losses.push('A monitor has one old address, that of the slug: /ping/UUID does not work.')
  if (token !== '') return { legacyAddress: { tool: 'HEALTHCHECKS', token } }
  losses.push(
    'The file has no ping address, because it was fetched with a read-only key: the job must call the new address, or fetch the file with a full key.',
  )
  return {}
}

function filterLosses(check: JsonObject): string[] {
  const losses: string[] = []
  if (check.methods === 'POST') losses.push('Pings with GET and HEAD count, too: POST only is not kept.')
  if (check.filter_subject === true || check.filter_body === true) {
    losses.push('Keywords in e-mails are lost: heartbeats by e-mail are not offered.')
  }
  if (check.filter_http_body === true) losses.push('Keywords in the body of pings are lost: every ping is a success.')
  if (check.status === 'paused' && check.manual_resume === false) {
    losses.push('A ping does not resume the paused monitor.')
  }
  return losses
}
