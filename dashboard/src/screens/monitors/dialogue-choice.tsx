import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { type DialogueDraft, dialogueBodyOf, dialogueDraftOf, withoutStored } from './dialogue-draft.ts'
import { DialogueFields } from './dialogue-fields.tsx'
import type { MonitorType } from './types.ts'

export interface DialogueChoice {
  readonly field: preact.JSX.Element | null
  /** For a test of the settings; undefined if there is no dialogue. */
  readonly body: PublicSchemas['SetMonitorDialogue'] | undefined
  /** Saves the dialogue if it was changed. */
  save(monitorId: string): Promise<void>
}

/**
 * The dialogue in the form of a PORT monitor. A copy begins with that of the monitor that it copies, without what it sends.
 * `isMoved`: the monitor gets the address of another server, for which that must be entered again.
 */
export function useDialogueChoice(
  draft: DialogueDraft | null,
  onDraft: (draft: DialogueDraft) => void,
  isMoved: boolean,
  type: MonitorType,
  monitorId?: string,
  copiedFrom?: string,
): DialogueChoice {
  const { api } = useOrganization()
  const source = monitorId ?? copiedFrom
  const { data } = useGet('monitor', '/api/v1/monitors/{monitorId}/dialogue', {
    path: { monitorId: source ?? '' },
    enabled: type === 'PORT' && source !== undefined,
  })
  const isShown = type === 'PORT' && (source === undefined || data !== undefined)
  const stored = dialogueDraftOf(data ?? { transport: null })
  const isLost = isMoved || monitorId === undefined
  const given = draft ?? stored
  const shown = isLost ? { ...given, steps: given.steps.map(withoutStored) } : given
  const isRemoved = isMoved && stored.choice === 'STEPS' && stored.steps.some((step) => step.stored !== undefined)
  const body = isShown ? dialogueBodyOf(shown) : undefined
  return {
    field: isShown ? (
      <DialogueFields
        draft={shown}
        set={onDraft}
        notice={
          isRemoved
            ? t('The address is that of another server. Enter again what is sent, or choose another check.')
            : null
        }
      />
    ) : null,
    body,
    async save(id) {
      const isChanged = draft !== null || isRemoved || (monitorId === undefined && body !== undefined)
      if (!isShown || !isChanged) return
      const path = { monitorId: id }
      if (body !== undefined) await api.PUT('/api/v1/monitors/{monitorId}/dialogue', { path, body })
      else if (monitorId !== undefined) await api.DELETE('/api/v1/monitors/{monitorId}/dialogue', { path })
    },
  }
}
