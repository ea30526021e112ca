import type { Reason } from '../../../src/reasons/reason.ts'
import { capital, fieldLabel } from './labels.ts'
import { rendered } from './reasons.ts'

/** A fault of one field in an error of the API. Only some faults have a code. */
export interface Fault {
  readonly path: string
  readonly message: string
  readonly reason?: Reason | undefined
}

export interface ApiFault {
  readonly message: string
  readonly reason?: Reason | undefined
  readonly details?: readonly Fault[] | undefined
}

/** What is wrong with a field: "End must be after start". The label of the field is the subject. */
export function faultText({ message, reason }: Fault, label: string): string {
  const fault = rendered(reason, message)
  const isPredicate = label !== '' && /^(must|is|has|cannot|may|exceeds)\b/.test(message)
  return isPredicate ? rendered({ code: 'fault_of', values: { label, fault } }, `${label} ${fault}`) : capital(fault)
}

/** The message of an error. A fault of a field that the form does not have names the field: "Check interval must be …". */
export function errorText({ message, reason, details = [] }: ApiFault): string {
  const [fault] = details
  if (reason !== undefined || fault === undefined || !message.startsWith(fault.path))
    return capital(rendered(reason, message))
  const field = fault.path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  const text = faultText(fault, capital(fieldLabel(field)))
  const count = details.length - 1
  return count === 0
    ? text
    : `${text} ${rendered({ code: 'and_more_faults', values: { count } }, `(and ${count} more)`)}`
}
