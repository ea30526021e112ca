import Type from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { DOCUMENTED, page, resource, singleLine } from '../../contract/schema.ts'
import { isObject } from '../../lib/json.ts'
import { LABEL_KEY_RULE, type Labels, labelKey, MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../../lib/selector.ts'
import { reason } from '../../reasons/reason.ts'

const keyRule = { propertyNames: { pattern: labelKey.source } }

const value = singleLine({ maxLength: MAX_LABEL_VALUE_CHARS })

/** As a body: at most 30, with keys and values by the rules of `labelFaults`. */
export const LabelsInput = Type.Unsafe<Labels>({
  type: 'object',
  additionalProperties: value,
  maxProperties: MAX_LABELS,
  description: `At most ${MAX_LABELS}. Keys: ${LABEL_KEY_RULE}. Values: at most ${MAX_LABEL_VALUE_CHARS} characters, may be empty.`,
  [DOCUMENTED]: keyRule,
})

/** Changes of labels: null removes a label. */
export const LabelChanges = Type.Unsafe<Readonly<Record<string, string | null>>>({
  type: 'object',
  additionalProperties: { ...value, type: ['string', 'null'] },
  minProperties: 1,
  maxProperties: MAX_LABELS,
  description: 'Labels to set; null removes a label. Other labels stay.',
  [DOCUMENTED]: keyRule,
})

export const MonitorLabels = resource('MonitorLabels', {
  labels: Type.Unsafe<Labels>({ type: 'object', additionalProperties: { type: 'string' } }),
})

const LabelValue = resource('LabelValue', {
  value: Type.String(),
  monitors: Type.Integer({ description: 'How many monitors have the label with this value' }),
})

const Label = resource('Label', {
  label: Type.String({ description: 'The key' }),
  monitors: Type.Integer({ description: 'How many monitors have the label' }),
  values: Type.Array(LabelValue, { description: 'The first values, in order' }),
  hasMoreValues: Type.Boolean({ description: '`GET /labels/{labelKey}/values` lists all of them' }),
})

export const LabelPage = page('LabelPage', Label)
export const LabelValuePage = page('LabelValuePage', LabelValue)
export const LabelParams = Type.Object({ labelKey: Type.String({ minLength: 1, maxLength: 32 }) })

const controlCharacter = /\p{Cc}/u

/** Faults in the keys and values of `labels`. */
export function labelFaults({ labels }: Readonly<Record<string, unknown>>): Fault[] {
  if (!isObject(labels)) return []
  return Object.entries(labels).flatMap(([key, text]): Fault[] => {
    const path = `labels.${key}`
    if (!labelKey.test(key)) return [{ path, message: `is not a label key: use ${LABEL_KEY_RULE}` }]
    if (typeof text === 'string' && controlCharacter.test(text)) {
      return [faultFor(path, reason('control_characters'))]
    }
    return []
  })
}
