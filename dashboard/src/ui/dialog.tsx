import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Near the top of the window, not in its centre. */
  readonly top?: boolean
  readonly children: ComponentChildren
}

/** A native modal dialog: traps the focus, closes with Escape, restores the focus. Open while it is rendered. */
export function Dialog({ title, onClose, top = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose} class={top ? 'mt-[10dvh]' : undefined}>
      <div class="flex items-center gap-2 border-b border-line px-5 py-3">
        <h2 id={id} class="grow text-base font-semibold">
          {title}
        </h2>
        <Button look="quiet" aria-label="Close" onClick={() => dialog.current?.close()} icon="✕" />
      </div>
      <div class="p-5">{children}</div>
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  /** What else is deleted. */
  readonly children: ComponentChildren
  readonly action: string
  /** Text that the user must type to confirm. */
  readonly typed?: string
  /** While something that the user must see is loading. */
  readonly disabled?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for confirmation before deleting something, and shows errors. */
export function Confirm({ title, children, action, typed, disabled = false, onConfirm, onClose }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [text, setText] = useState('')
  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setProblem(thrown)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void confirm()
        }}
        class="space-y-4"
      >
        <div>{children}</div>
        {typed !== undefined && (
          <label class="block">
            <span class="mb-1 block">
              Type <strong>{typed}</strong> to confirm
            </span>
            <input
              class="input"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              autocomplete="off"
            />
          </label>
        )}
        {problem !== undefined && <ErrorNotice problem={problem} />}
        <div class="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="danger"
            busy={isBusy}
            disabled={disabled || (typed !== undefined && text !== typed)}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
