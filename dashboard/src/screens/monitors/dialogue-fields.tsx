import { Plus, X } from 'lucide-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField, SelectField, TextField } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import {
  type DialogueDraft,
  dialogueBodyOf,
  dialogueDraftOf,
  emptyStep,
  type Preset,
  presets,
  type StepDraft,
  type Transport,
  transportsOf,
  withChoice,
  withoutStored,
} from './dialogue-draft.ts'
import type { EditedMonitor } from './types.ts'

interface Props {
  readonly draft: DialogueDraft
  readonly set: (draft: DialogueDraft) => void
  /** Why something must be entered again. */
  readonly notice: string | null
}

const MAX_STEPS = 10

const choices = [
  { value: 'NONE', label: t('Only connect') },
  ...Object.entries(presets).map(([value, { label }]) => ({ value: value as Preset, label })),
  { value: 'STEPS', label: t('Own steps') },
] as const

const transportLabels: Readonly<Record<Transport, string>> = {
  TCP: t('TCP, not encrypted'),
  TLS: 'TLS',
  STARTTLS: 'STARTTLS',
  UDP: 'UDP',
}

/** What is sent to a port and what it must reply. */
function DialogueFields({ draft, set, notice }: Props) {
  const { choice, transport, steps } = draft
  return (
    <fieldset class="space-y-4">
      <legend class="mb-1 font-medium">{t('Protocol')}</legend>
      {notice !== null && <InfoNotice>{notice}</InfoNotice>}
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Check')}
          path="preset"
          value={choice}
          onValue={(value) => set(withChoice(draft, value))}
          choices={choices}
          hint={choice === 'NONE' ? t('The port has to accept a connection') : undefined}
        />
        {choice !== 'NONE' && (
          <SelectField
            label={t('Transport')}
            path="transport"
            value={transport}
            onValue={(value) => set({ ...draft, transport: value })}
            choices={transportsOf(choice).map((value) => ({ value, label: transportLabels[value] }))}
          />
        )}
      </div>
      {choice === 'STEPS' && (
        <Steps steps={steps} isStartTls={transport === 'STARTTLS'} onSteps={(next) => set({ ...draft, steps: next })} />
      )}
    </fieldset>
  )
}

interface StepsProps {
  readonly steps: readonly StepDraft[]
  readonly isStartTls: boolean
  readonly onSteps: (steps: readonly StepDraft[]) => void
}

function Steps({ steps, isStartTls, onSteps }: StepsProps) {
  const set = (i: number, change: Partial<StepDraft>) =>
    onSteps(steps.map((step, at) => (at === i ? { ...step, ...change } : step)))
  return (
    <div class="space-y-3">
      <ol class="space-y-3">
        {steps.map((step, i) => (
          <li key={i} class="rounded-md border border-line p-3">
            <div class="flex items-start gap-2">
              <div class="grid min-w-0 flex-1 gap-3 sm:grid-cols-2">
                <TextField
                  label={t('Send in step {number}', { number: i + 1 })}
                  path={`steps.${i}.send`}
                  value={step.send}
                  onValue={(send) => set(i, { send })}
                  placeholder={step.stored === undefined ? 'PING\\r\\n' : undefined}
                  hint={step.stored ? t('Leave empty to keep the current value') : undefined}
                  maxLength={2000}
                  autocomplete="off"
                  required={step.stored === null}
                />
                <TextField
                  label={t('Expect in step {number}', { number: i + 1 })}
                  path={`steps.${i}.expect`}
                  value={step.expect}
                  onValue={(expect) => set(i, { expect })}
                  placeholder="+PONG"
                  maxLength={1000}
                  autocomplete="off"
                />
                {isStartTls && (
                  <CheckboxField
                    label={t('Start TLS before this step')}
                    value={step.startTls}
                    onValue={(startTls) => set(i, { startTls })}
                  />
                )}
              </div>
              {steps.length > 1 && (
                <Button
                  look="quiet"
                  aria-label={t('Remove step {number}', { number: i + 1 })}
                  onClick={() => onSteps(steps.filter((_, at) => at !== i).map(withoutStored))}
                  icon={<X />}
                />
              )}
            </div>
          </li>
        ))}
      </ol>
      <p class="text-xs text-muted">
        {t('Write line ends as \\r\\n and bytes as \\x00. Expect a text, or an RE2 pattern between slashes.')}
      </p>
      {steps.length < MAX_STEPS && (
        <Button icon={<Plus />} onClick={() => onSteps([...steps.map(withoutStored), emptyStep])}>
          {t('Add step')}
        </Button>
      )}
    </div>
  )
}

/** The dialogue in the form of a PORT monitor. What it sends is a secret. */
export function useDialogueChoice(
  draft: DialogueDraft | null,
  onDraft: (draft: DialogueDraft) => void,
  { type, monitorId, source, isMoved }: EditedMonitor,
) {
  const { api } = useOrganization()
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
    /** For a test of the settings; undefined if there is no dialogue. */
    body,
    /** Saves the dialogue if it was changed. */
    async save(id: string): Promise<void> {
      const isChanged = draft !== null || isRemoved || (monitorId === undefined && body !== undefined)
      if (!isShown || !isChanged) return
      const path = { monitorId: id }
      if (body !== undefined) await api.PUT('/api/v1/monitors/{monitorId}/dialogue', { path, body })
      else if (monitorId !== undefined) await api.DELETE('/api/v1/monitors/{monitorId}/dialogue', { path })
    },
  }
}
