import { once } from '../../lib/once.ts'
import type { DocumentedOperation } from '../api/document.ts'
import { type ToolInput, toolInput } from './input-schema.ts'

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
  readonly inputSchema: ToolInput['schema']
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** The description of a tool for assistants. */
export function describeTool({ name, operation, input }: OperationTool): ToolDescription {
  const { summary, group, isChange } = operation
  const title = `${group}: ${summary}`
  return {
    name,
    title,
    description: descriptionOf(operation),
    inputSchema: input().schema,
    annotations: {
      title,
      readOnlyHint: !isChange,
      destructiveHint: isChange && !isAdditive(operation),
      idempotentHint: isIdempotent(operation),
      openWorldHint: isChange && reachesOthers(operation),
    },
  }
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

function descriptionOf({ summary, description, isDeprecated, notifies }: DocumentedOperation): string {
  const sentences = [
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(notifies === false ? [] : [`Can notify people: see the argument notify.`]),
    ...(isDeprecated ? ['Deprecated.'] : []),
  ]
  return sentences.join(' ')
}
