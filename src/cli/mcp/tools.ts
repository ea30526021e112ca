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

export function toolsOf(operations: readonly DocumentedOperation[]): OperationTool[] {
  return operations.map((operation) => ({
    name: snakeCase(operation.id),
    operation,
    input: once(() => toolInput(operation)),
  }))
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
  const { summary, method, isChange, notifies } = operation
  return {
    name,
    title: summary,
    description: descriptionOf(operation),
    inputSchema: input().schema,
    annotations: {
      title: summary,
      readOnlyHint: !isChange,
      // A POST that creates something changes nothing that exists.
      destructiveHint: isChange && !operation.isCreation,
      idempotentHint: method !== 'POST',
      openWorldHint: notifies,
    },
  }
}

function descriptionOf({ summary, description, isDeprecated, notifies }: DocumentedOperation): string {
  const sentences = [
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(notifies ? ['Can notify people: the argument notify is required.'] : []),
    ...(isDeprecated ? ['Deprecated.'] : []),
  ]
  return sentences.join(' ')
}
