import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks'
import { type RequestError, toRequestError, withoutField } from '../api/api-error.ts'
import { t } from '../lib/i18n.ts'
import { Button, type ButtonLook } from './button.tsx'
import { FormErrors } from './field-group.tsx'
import { concernsMore, nativeFaults } from './native-faults.ts'
import { ErrorNotice } from './notice.tsx'
import { Select } from './select.tsx'

export interface FormProps {
  readonly onSubmit: () => Promise<unknown>
  readonly action: string
  /** Look of the submit button. */
  readonly look?: ButtonLook
  readonly children: ComponentChildren
  readonly onCancel?: () => void
  /** Buttons before the submit button. */
  readonly extra?: ComponentChildren
  readonly class?: string
  /** Extra classes for the row of buttons. */
  readonly bar?: string
}

/**
 * A form that submits once at a time, shows all faults that the browser or the server finds next to the fields (`error.details[].path`) and focuses the first of
 * them. Other errors are shown above the buttons.
 */
export function Form(props: FormProps) {
  const { onSubmit, action, look = 'primary', children, onCancel, extra, class: className = 'space-y-4', bar } = props
  const form = useRef<HTMLFormElement>(null)
  const notice = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<RequestError | null>(null)
  const [isNoted, setNoted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failures, setFailures] = useState(0)
  useEffect(() => {
    if (failures === 0) return
    const faulty = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-faulty] :is(input, button)')
    // Opens collapsed sections that contain an error.
    faulty?.closest('details')?.setAttribute('open', '')
    faulty?.focus({ preventScroll: true })
    // The middle is not covered by a bar of buttons that sticks to the end of the screen.
    const shown = faulty?.closest('[data-field]') ?? notice.current
    shown?.scrollIntoView({ block: 'center' })
  }, [failures])
  const fail = (error: RequestError) => {
    setProblem(error)
    setFailures((before) => before + 1)
    setNoted(concernsMore(error, form.current))
  }
  const validate = () => {
    const faults = form.current && nativeFaults(form.current)
    if (faults) fail(faults)
    return form.current?.checkValidity() !== false
  }
  const submit = async () => {
    if (isBusy) return
    if (!validate()) return
    setBusy(true)
    setProblem(null)
    try {
      await onSubmit()
    } catch (thrown) {
      fail(toRequestError(thrown))
    } finally {
      setBusy(false)
    }
  }
  // An error is about the value that was sent: it goes when the value changes, and all go with the kind of thing.
  const forget = (field: string) => setProblem((before) => (field === 'type' ? null : withoutField(before, field)))
  const changed = ({ target }: { target: EventTarget | null }) => {
    const field = (target as Element | null)?.closest<HTMLElement>('[data-field]')?.dataset.field
    if (field !== undefined) forget(field)
  }
  return (
    <FormErrors.Provider value={{ problem, forget, validate, fail }}>
      <form
        ref={form}
        noValidate
        class={className}
        onInput={changed}
        onChange={changed}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {children}
        {problem !== null && isNoted && (
          <div ref={notice}>
            <ErrorNotice problem={problem} />
          </div>
        )}
        <div class={bar ?? 'flex flex-wrap justify-end gap-2'}>
          {onCancel && <Button onClick={onCancel}>{t('Cancel')}</Button>}
          {extra}
          <Button type="submit" look={look} busy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </FormErrors.Provider>
  )
}

/** Path, value and setter of one field of a draft, for its control. */
export function fieldsOf<Draft>(draft: Draft, change: (changes: Partial<Draft>) => void) {
  return <Name extends keyof Draft & string>(path: Name) => ({
    path,
    value: draft[path],
    onValue: (value: Draft[Name]) => change({ [path]: value } as unknown as Partial<Draft>),
  })
}

interface FieldProps {
  readonly label: string
  /** Path of the field in error details. */
  readonly path: string
  readonly hint?: ComponentChildren
}

interface ControlAttributes {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** Label, control, hint and error, linked for screen readers. */
export function Field({
  label,
  path,
  hint,
  children,
}: FieldProps & { children: (attributes: ControlAttributes) => ComponentChildren }) {
  const id = useId()
  const fault = useContext(FormErrors).problem?.at(path, label.replace(/ \(.*\)$/, ''))
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`].join(' ').trim()
  return (
    <div data-field={path}>
      <label for={id} class="mb-1 block font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} class="mt-1 text-down-text">
          {fault}
        </p>
      )}
    </div>
  )
}

/** Native attributes of the input. */
interface InputAttributes {
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'url'
    | 'search'
    | 'number'
    | 'datetime-local'
    | 'date'
    | 'time'
    | 'color'
  readonly required?: boolean
  readonly disabled?: boolean
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly inputMode?: 'text' | 'email' | 'url' | 'numeric' | 'decimal'
  readonly min?: number | string
  readonly max?: number | string
  readonly step?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly list?: string
  readonly autoFocus?: boolean
}

interface TextFieldProps extends FieldProps, InputAttributes {
  readonly value: string
  readonly onValue: (value: string) => void
}

export function TextField({ label, path, hint, value, onValue, ...input }: TextFieldProps) {
  return (
    <Field label={label} path={path} hint={hint}>
      {(attributes) => (
        <input
          {...(input as object)}
          {...attributes}
          class="input"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface NumberFieldProps extends FieldProps, InputAttributes {
  /** Null if the field is empty. */
  readonly value: number | null
  readonly onValue: (value: number | null) => void
}

export function NumberField({ value, onValue, ...rest }: NumberFieldProps) {
  return (
    <TextField
      {...rest}
      type="number"
      inputMode="numeric"
      value={value === null ? '' : String(value)}
      onValue={(text) => onValue(text === '' ? null : Number(text))}
    />
  )
}

type NamedFieldProps = Omit<TextFieldProps, 'label' | 'path'>

/** The name of a resource. */
export function NameField(props: NamedFieldProps) {
  return <TextField label={t('Name')} path="name" required maxLength={120} autocomplete="off" {...props} />
}

/** The address that a user signs in with. */
export function EmailField(props: NamedFieldProps) {
  return (
    <TextField
      label={t('E-mail')}
      path="email"
      type="email"
      autocomplete="username"
      required
      maxLength={254}
      {...props}
    />
  )
}

interface AreaProps extends FieldProps, Pick<TextFieldProps, 'value' | 'onValue'> {
  readonly rows?: number
  readonly maxLength?: number
  readonly required?: boolean
  readonly mono?: boolean
}

export function TextAreaField({ label, path, hint, value, onValue, rows = 4, mono = false, ...rest }: AreaProps) {
  return (
    <Field label={label} path={path} hint={hint}>
      {(attributes) => (
        <textarea
          {...rest}
          {...attributes}
          rows={rows}
          class={`input ${mono ? 'font-mono text-xs' : ''}`}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface SelectProps<T extends string> extends FieldProps {
  readonly value: T
  readonly onValue: (value: T) => void
  readonly choices: readonly { readonly value: T; readonly label: string; readonly disabled?: boolean }[]
  readonly disabled?: boolean
}

export function SelectField<T extends string>(props: SelectProps<T>) {
  const { label, path, hint, value, onValue, choices, disabled = false } = props
  return (
    <Field label={label} path={path} hint={hint}>
      {(attributes) => (
        <Select {...attributes} class="input" value={value} onValue={onValue} choices={choices} disabled={disabled} />
      )}
    </Field>
  )
}

interface CheckProps {
  readonly label: ComponentChildren
  readonly value: boolean
  readonly onValue: (value: boolean) => void
  readonly hint?: ComponentChildren
  readonly disabled?: boolean
}

export function CheckboxField({ label, value, onValue, hint, disabled = false }: CheckProps) {
  return (
    <label class="touch flex items-start gap-2 py-1">
      <input
        type="checkbox"
        class="mt-0.5 size-4 accent-accent"
        checked={value}
        disabled={disabled}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span class="block text-xs text-muted">{hint}</span>}
      </span>
    </label>
  )
}
