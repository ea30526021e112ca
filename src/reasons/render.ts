import { isReason, type Reason } from './reason.ts'
import { type Formats, fill, type Template } from './template.ts'

export type Templates = Readonly<Record<Reason['code'], Template>>

/** The sentence of a reason in one language. */
export function renderReason(reason: Reason, templates: Templates, formats: Formats): string {
  const textOf = (value: unknown): string => {
    if (isReason(value)) return fill(templates[value.code] ?? '', value.values, formats, textOf)
    return value === undefined ? '' : String(value)
  }
  return textOf(reason)
}
