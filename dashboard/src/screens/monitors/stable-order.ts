import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface ShownRow<T> {
  readonly row: T
  /** The row is no longer in the list: it moved to another page or no longer matches. */
  readonly isGone: boolean
  /** The row when the order was last taken: it stays in the group that it had. */
  readonly heldAs: T
}

/**
 * Keeps the order of rows while the list has pointer or focus, so that rows do not move under the pointer. Their content stays
 * current. A different `list` key resets the order.
 */
export function useStableOrder<T extends { readonly id: string }>(
  rows: readonly T[],
  isHeld: boolean,
  list: string,
): readonly ShownRow<T>[] {
  const held = useRef<{ list: string; rows: readonly T[]; taken: ReadonlyMap<string, T> }>({
    list,
    rows,
    taken: new Map(),
  })
  const latest = new Map(rows.map((row) => [row.id, row]))
  if (!isHeld || held.current.list !== list) held.current = { list, rows, taken: latest }
  else {
    const known = new Set(held.current.rows.map(({ id }) => id))
    held.current = {
      list,
      taken: held.current.taken,
      rows: [...held.current.rows.map((row) => latest.get(row.id) ?? row), ...rows.filter(({ id }) => !known.has(id))],
    }
  }
  const { taken } = held.current
  return held.current.rows.map((row) => ({ row, isGone: !latest.has(row.id), heldAs: taken.get(row.id) ?? row }))
}

interface PointerOrFocus {
  readonly isInside: boolean
  readonly handlers: {
    onPointerEnter: (event: PointerEvent) => void
    onPointerLeave: () => void
    onFocusIn: () => void
    onFocusOut: () => void
  }
}

/** Whether the mouse pointer or the focus is inside an element. Ignores touch. */
export function usePointerOrFocus(element: RefObject<HTMLElement | null>): PointerOrFocus {
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const look = () => setFocused(element.current?.contains(document.activeElement) === true)
  // Removing a focused row fires no blur event.
  useEffect(look)
  return {
    isInside: isPointed || isFocused,
    handlers: {
      onPointerEnter: ({ pointerType }) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      // The next element is focused only after this event.
      onFocusOut: () => queueMicrotask(look),
    },
  }
}
