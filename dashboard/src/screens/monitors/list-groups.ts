interface Group {
  readonly value: string
  readonly total: number
}

export interface Section<T> extends Group {
  readonly isCollapsed: boolean
  readonly rows: readonly T[]
}

interface Page {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

/**
 * The groups of one page: those that have rows on it, and collapsed ones whose place in the list is on it. `pagination.total`
 * leaves out the rows of collapsed groups.
 */
export function sectionsOf<T>(
  rows: readonly T[],
  groupOf: (row: T) => string,
  groups: readonly Group[],
  collapsed: readonly string[],
  { offset, limit, total }: Page,
): readonly Section<T>[] {
  const byGroup = Map.groupBy(rows, groupOf)
  const isLastPage = offset + limit >= total
  let before = 0
  return groups.flatMap((group): readonly Section<T>[] => {
    const isCollapsed = collapsed.includes(group.value)
    const at = before
    if (!isCollapsed) before += group.total
    const own = byGroup.get(group.value) ?? []
    const isHere = isCollapsed ? at >= offset && (at < offset + limit || isLastPage) : own.length > 0
    return isHere ? [{ ...group, isCollapsed, rows: isCollapsed ? [] : own }] : []
  })
}
