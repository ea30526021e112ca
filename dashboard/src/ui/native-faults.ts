import { RequestError } from '../api/api-error.ts'
import { number } from '../lib/format.ts'
import { plural, t } from '../lib/i18n.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * What the browser finds wrong in a form, in our words and for all fields at once: its own messages are in another language and
 * come one by one. Null if nothing is wrong, or if a control outside of all fields is: the browser shows that itself.
 */
export function nativeFaults(form: HTMLFormElement): RequestError | null {
  const faulty = [...form.querySelectorAll<Control>(':is(input, textarea, select):invalid')]
  const details = faulty.flatMap((control) => {
    const path = control.closest<HTMLElement>('[data-field]')?.dataset.field
    return path === undefined ? [] : [{ path, message: faultOf(control) }]
  })
  if (details.length < faulty.length) form.reportValidity()
  if (details.length === 0) return null
  return new RequestError({ code: 'validation_error', message: t('Please fix the fields above'), status: 400, details })
}

function faultOf(control: Control): string {
  const { validity } = control
  const { type = '', min = '', max = '', minLength = -1 } = control as HTMLInputElement
  // Set by the form itself.
  if (validity.customError) return control.validationMessage
  if (validity.valueMissing) return t('Required')
  if (validity.typeMismatch && type === 'email') return t('Enter an e-mail address such as ada@example.com')
  if (validity.typeMismatch && type === 'url') return t('Enter a URL such as https://example.com')
  if (validity.badInput) return type === 'number' ? t('Enter a number') : t('Enter a complete date and time')
  if (validity.tooShort) return t('Enter at least {characters}', { characters: plural(minLength, 'character') })
  if (validity.rangeUnderflow || validity.rangeOverflow) return rangeText(type, min, max)
  if (validity.stepMismatch) return t('Enter a whole number')
  return (validity.patternMismatch && control.title) || t('Check this value')
}

function rangeText(type: string, min: string, max: string): string {
  const text = (value: string) => (type === 'number' ? number(Number(value)) : value.replace('T', ' '))
  if (min !== '' && max !== '') return t('Enter a value from {min} to {max}', { min: text(min), max: text(max) })
  return min === '' ? t('Enter at most {max}', { max: text(max) }) : t('Enter at least {min}', { min: text(min) })
}

/** Whether the error has details that no field shows. */
export function concernsMore({ details }: RequestError, form: HTMLFormElement | null): boolean {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-field]') ?? [])].map(({ dataset }) => dataset.field)
  return details.length === 0 || details.some(({ path }) => !fields.some((f) => path === f || path.startsWith(`${f}.`)))
}
