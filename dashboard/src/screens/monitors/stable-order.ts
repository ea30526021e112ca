import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Shown<T> {
  readonly row: T
  /** It is not where it was any more: another page, or it no longer matches. */
  readonly isGone: boolean
}

/**
 * Rows in the order they had when somebody came to them: nothing may move away from under a pointer. What they show stays
 * current. `list` names what is listed; another list starts afresh.
 */
export function useStableOrder<T extends { readonly id: string }>(
  rows: readonly T[],
  isHeld: boolean,
  list: string,
): readonly Shown<T>[] {
  const held = useRef<{ list: string; rows: readonly T[] }>({ list, rows })
  const latest = new Map(rows.map((row) => [row.id, row]))
  if (!isHeld || held.current.list !== list) held.current = { list, rows }
  else {
    const known = new Set(held.current.rows.map(({ id }) => id))
    held.current = {
      list,
      rows: [...held.current.rows.map((row) => latest.get(row.id) ?? row), ...rows.filter(({ id }) => !known.has(id))],
    }
  }
  return held.current.rows.map((row) => ({ row, isGone: !latest.has(row.id) }))
}

interface Presence {
  readonly isInside: boolean
  readonly handlers: {
    onPointerEnter: (event: PointerEvent) => void
    onPointerLeave: () => void
    onFocusIn: () => void
    onFocusOut: () => void
  }
}

/** Whether the mouse or the keyboard's focus is within an element. A finger leaves no trace where it has been. */
export function usePointerOrFocus(element: RefObject<HTMLElement | null>): Presence {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const look = () => setFocused(element.current?.contains(document.activeElement) === true)
  // A focused row that is deleted takes the focus with it, and no event tells.
  useEffect(look)
  return {
    isInside: isPointed || isFocused,
    handlers: {
      onPointerEnter: ({ pointerType }) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      // The next element has the focus only after this event.
      onFocusOut: () => queueMicrotask(look),
    },
  }
}
