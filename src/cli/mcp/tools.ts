import type { JsonSchema } from '../../lib/json-schema.ts'
import { once } from '../../lib/once.ts'
import { CHECK_HEADER } from '../api/describe-change.ts'
import type { DocumentedOperation } from '../api/document.ts'
import { type ToolInput, toolInput } from './input-schema.ts'
import { shortInput, shortOutput } from './short-schema.ts'

/** What an assistant needs from day to day. All tools would take most of the context of a small model. */
const defaultTools: ReadonlySet<string> = new Set([
  ...['get_overview', 'list_monitors', 'get_monitor_list', 'get_monitor', 'list_checks', 'get_uptime'],
  ...['list_incidents', 'get_incident', 'acknowledge_incident', 'list_incident_notes', 'create_incident_note'],
  ...['get_incident_evidence', 'get_monitor_evidence', 'list_incident_alerts', 'get_alert_coverage', 'list_contacts'],
  ...['create_monitor', 'update_monitor', 'try_monitor', 'check_monitor', 'pause_monitor', 'resume_monitor'],
  ...['list_mutes', 'mute_monitor', 'unmute_monitor', 'list_maintenance_windows', 'plan_configuration'],
])

/** Names for `--groups` besides those of the groups. */
const DEFAULT = 'default'
const ALL = 'all'

/** The field of an answer that is added if a check could not tell the state. */
export const INCONCLUSIVE = 'inconclusive'

/** An operation of the API as a tool. */
export interface OperationTool {
  readonly name: string
  readonly operation: DocumentedOperation
  /** Read from the OpenAPI document at its first use. */
  readonly input: () => ToolInput
}

/** Tools of a group stand together. Assistants have no files to upload. */
export function toolsOf(operations: readonly DocumentedOperation[]): OperationTool[] {
  const groups = [...new Set(operations.map(({ group }) => group))]
  return operations
    .filter(({ isUpload }) => !isUpload)
    .map((operation) => ({ name: snakeCase(operation.id), operation, input: once(() => toolInput(operation)) }))
    .toSorted((a, b) => groups.indexOf(a.operation.group) - groups.indexOf(b.operation.group))
}

/** The names that `--groups` takes. */
export function groupNames(tools: readonly OperationTool[]): string[] {
  return [DEFAULT, ALL, ...new Set(tools.map(({ operation }) => groupName(operation)))]
}

export function isInGroups({ name, operation }: OperationTool, groups: readonly string[] = [DEFAULT]): boolean {
  if (groups.includes(ALL) || groups.includes(groupName(operation))) return true
  return groups.includes(DEFAULT) && defaultTools.has(name)
}

/** As typed: `status-pages`. */
export function groupName({ group }: DocumentedOperation): string {
  return group.toLowerCase().replaceAll(' ', '-')
}

/** `listMonitors` as `list_monitors`. */
function snakeCase(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

interface ToolDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** The description of a tool for assistants. */
export function describeTool({ name, operation, input }: OperationTool): ToolDescription {
  const { summary, group, isChange } = operation
  const output = outputSchema(operation)
  return {
    name,
    title: `${group}: ${summary}`,
    description: descriptionOf(operation),
    inputSchema: { ...shortInput(input().schema), additionalProperties: false },
    ...(output !== undefined && { outputSchema: output }),
    annotations: {
      readOnlyHint: !isChange,
      destructiveHint: isChange && !isAdditive(operation),
      idempotentHint: isIdempotent(operation),
      openWorldHint: isChange && reachesOthers(operation),
    },
  }
}

/**
 * Of tools that read: a change answers with what they read. The protocol has no schema for an answer that can be null or a text.
 */
function outputSchema({ isChange, answer }: DocumentedOperation): JsonSchema | undefined {
  return isChange || answer().type !== 'object' ? undefined : shortOutput(answer())
}

/** Whether nothing is lost that was there before: something is created, sent, checked, or set going again. */
function isAdditive({ method, path, isCreation, body }: DocumentedOperation): boolean {
  if (method === 'POST') {
    return isCreation || /\/(check|try|test|retry|retry-failed|confirmation|resume|acknowledge|enable)$/.test(path)
  }
  // A PUT without a body makes something so; others replace what was there.
  return method === 'PUT' && body() === undefined
}

/** Whether a second call with the same arguments has no effect. */
function isIdempotent({ method, path, notifies }: DocumentedOperation): boolean {
  if (method === 'POST') return /\/(pause|resume|acknowledge|enable|disable)$/.test(path)
  return method !== 'PATCH' || notifies === false
}

/** Whether the call sends something to people, or to the target of a monitor, which is checked after it was saved or resumed. */
function reachesOthers({ method, path, notifies }: DocumentedOperation): boolean {
  if (notifies !== false || /\/(check|try|resume)$/.test(path)) return true
  return method !== 'DELETE' && /^\/monitors(\/bulk|\/\{monitorId\})?$/.test(path)
}

function descriptionOf({ summary, description, isDeprecated, notifies, answerHeaders }: DocumentedOperation): string {
  const sentences = [
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(answerHeaders.includes(CHECK_HEADER) ? [`The field \`${INCONCLUSIVE}\` of the answer has this reason.`] : []),
    ...(notifies === false ? [] : [`Can notify people: see the argument notify.`]),
    ...(isDeprecated ? ['Deprecated.'] : []),
  ]
  return sentences.join(' ')
}
