import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { RequestError } from '../api/api-error.ts'

interface Errors {
  /** The error of the last submit. */
  readonly problem: RequestError | null
  /** Removes the errors of a field whose value has changed. */
  readonly forget: (path: string) => void
  /** Shows what is wrong in the form; false if something is. */
  readonly validate: () => boolean
  /** Shows faults that something else than a submit found. */
  readonly fail: (problem: RequestError) => void
}

/** The errors of a form, for its fields to show. */
export const FormErrors = createContext<Errors>({
  problem: null,
  forget: () => {},
  validate: () => true,
  fail: () => {},
})

interface GroupProps {
  /** Path of the group in error details; undefined if it has no errors. */
  readonly path: string | undefined
  /** A change of it removes the error: buttons, such as "Select all", cause no input events. */
  readonly value: unknown
  /** Inside a bordered box, which has no padding of its own. */
  readonly inset?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}

/** A group of controls with one error, which goes when a value of the group changes. */
export function FieldGroup({ path, value, inset = false, class: className, children }: GroupProps) {
  const { problem, forget } = useContext(FormErrors)
  const fault = path === undefined ? undefined : problem?.at(path)
  const text = JSON.stringify(value)
  const before = useRef(text)
  useEffect(() => {
    if (before.current !== text && path !== undefined) forget(path)
    before.current = text
  }, [text])
  return (
    <div data-field={path} data-faulty={fault === undefined ? undefined : ''} class={className}>
      {children}
      {fault !== undefined && (
        <p role="alert" class={`mt-1 text-down-text ${inset ? 'px-3 pb-2' : ''}`}>
          {fault}
        </p>
      )}
    </div>
  )
}
