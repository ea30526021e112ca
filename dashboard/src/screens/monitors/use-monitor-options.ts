import type { PublicSchemas } from '../../api/client.ts'
import { useAssertionOptions } from './assertion-builder.tsx'
import type { AssertionRow } from './assertion-draft.ts'
import type { DialogueDraft } from './dialogue-draft.ts'
import { useDialogueChoice } from './dialogue-fields.tsx'
import type { OptionDraft } from './option-draft.ts'
import { useOptionChoice } from './option-fields.tsx'
import type { RequestDraft } from './request-draft.ts'
import { useRequestOptions } from './request-fields.tsx'
import type { EditedMonitor } from './types.ts'

/** What was changed of a monitor's options in its form. Null: as stored. */
export interface OptionChanges {
  readonly request: RequestDraft | null
  readonly assertions: readonly AssertionRow[] | null
  readonly dialogue: DialogueDraft | null
  /** Schedule, confirmation and notes. */
  readonly others: OptionDraft | null
}

export const noOptionChanges: OptionChanges = { request: null, assertions: null, dialogue: null, others: null }

/** All options in the form of a monitor. */
export function useMonitorOptions(
  changes: OptionChanges,
  onChanges: (changes: OptionChanges) => void,
  edited: EditedMonitor,
) {
  const change = (some: Partial<OptionChanges>) => onChanges({ ...changes, ...some })
  const request = useRequestOptions(changes.request, (next) => change({ request: next }), edited)
  const assertions = useAssertionOptions(changes.assertions, (next) => change({ assertions: next }), edited)
  const isMoved = edited.isMoved || request.hasOtherResolver
  const dialogue = useDialogueChoice(changes.dialogue, (next) => change({ dialogue: next }), { ...edited, isMoved })
  const others = useOptionChoice(changes.others, (next) => change({ others: next }), edited)
  const body: NonNullable<PublicSchemas['TryMonitor']['options']> = {
    ...(request.body && { request: request.body }),
    ...(assertions.body && { assertions: assertions.body }),
    ...(dialogue.body && { dialogue: dialogue.body }),
  }
  return {
    request,
    assertions,
    dialogue,
    others,
    /** For a test of the settings. */
    body,
    /** What is not at its default, by name. */
    bodies: { ...body, ...others.bodies },
    async save(monitorId: string): Promise<void> {
      for (const option of [request, assertions, dialogue, others]) await option.save(monitorId)
    },
  }
}
